// One lasting connection beside the pool, for what belongs to a connection and not to a statement: locks that
// end with it, and notifications. When it breaks, or the server stops answering, it is made anew by itself,
// and each duty begins again.
// States: down → up (connected, every duty has begun) → down (lost; tried again every second) …; closed from any.

import { Client, type ClientConfig, type Notification } from 'pg';
import type { CancelTimer, Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import { dropConnection, queryWithin } from '../statements/query-within.ts';

/** Runs one statement on the connection, after those before it. */
export type RunStatement = (
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Record<string, unknown>[]>;

export type SessionDuty = {
  /** On each new connection, before it counts as up; a rejection drops it. */
  begin(run: RunStatement): Promise<void>;
  /** Now and then while it is up, so that a dead connection is found out. */
  tend?(run: RunStatement): Promise<void>;
  hear?(notification: Notification): void;
  /** The connection is lost. */
  end?(): void;
};

export type SessionParts = {
  readonly config: ClientConfig;
  readonly queryTimeoutMs: number;
  readonly duties: readonly SessionDuty[];
  readonly clock: Clock;
  readonly log: Log;
};

const TRY_AGAIN_MS = 1000;
const TEND_MS = 2000;
/** The server is to notice within half a minute that our machine is gone, and end the session with its locks. */
const NOTICE_OUR_DEATH = `
  set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3`;

export class Session {
  readonly #parts: SessionParts;
  #client: Client | undefined;
  #connecting: Promise<void> | undefined;
  #lastStatement: Promise<unknown> = Promise.resolve();
  #cancelTimer: CancelTimer | undefined;
  #isClosed = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Resolves when it is up; rejects when the first try fails, and then there is no other. */
  open(): Promise<void> {
    this.#connecting = this.#connect();
    return this.#connecting;
  }

  get isUp(): boolean {
    return this.#client !== undefined;
  }

  /** Rejects at once while it is down. */
  readonly run: RunStatement = async (text, values = []) => {
    if (!this.#client) throw new Error('the session with PostgreSQL is down');
    return this.#runOn(this.#client, text, values);
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer?.();
    await this.#connecting?.catch(() => {});
    const client = this.#client;
    this.#client = undefined;
    // Ends the session on the server too, and so frees its locks before whoever closes us goes on.
    if (client) await endWithin(client, this.#parts.clock);
  }

  async #connect(): Promise<void> {
    const { config, duties, clock } = this.#parts;
    const client = new Client(config);
    let hasEnded = false;
    // What breaks a connection also ends it, and the end is what counts.
    client.on('error', () => {});
    client.once('end', () => {
      hasEnded = true;
      this.#lose(client);
    });
    client.on('notification', (news) => duties.forEach((duty) => duty.hear?.(news)));
    try {
      await client.connect();
      await this.#begin(client);
      if (hasEnded) throw new Error('the session with PostgreSQL ended as it began');
    } catch (cause) {
      dropConnection(client);
      for (const duty of duties) duty.end?.();
      throw cause;
    }
    this.#client = client;
    this.#cancelTimer = clock.after(TEND_MS, () => this.#tend());
  }

  async #begin(client: Client): Promise<void> {
    await this.#runOn(client, NOTICE_OUR_DEATH, []);
    for (const duty of this.#parts.duties)
      await duty.begin((text, values = []) => this.#runOn(client, text, values));
  }

  /** One after another: the driver does not want two statements on a connection at once. */
  #runOn(client: Client, text: string, values: readonly unknown[]) {
    const { queryTimeoutMs } = this.#parts;
    const statement = this.#lastStatement.then(async () => {
      const { rows } = await queryWithin(client, { text, values }, queryTimeoutMs);
      return rows;
    });
    this.#lastStatement = statement.catch(() => {});
    return statement;
  }

  #tend(): void {
    const client = this.#client;
    if (!client) return;
    void this.#tendDuties(client).then(
      () => {
        if (this.#client === client)
          this.#cancelTimer = this.#parts.clock.after(TEND_MS, () => this.#tend());
      },
      () => dropConnection(client),
    );
  }

  async #tendDuties(client: Client): Promise<void> {
    for (const duty of this.#parts.duties)
      await duty.tend?.((text, values = []) => this.#runOn(client, text, values));
  }

  #lose(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#cancelTimer?.();
    this.#tell('warn', 'the connection to PostgreSQL is lost');
    for (const duty of this.#parts.duties) duty.end?.();
    this.#tryAgain();
  }

  #tryAgain(): void {
    if (this.#isClosed) return;
    const { clock } = this.#parts;
    this.#cancelTimer = clock.after(TRY_AGAIN_MS * (0.5 + clock.random()), () => {
      this.#connecting = this.#connect()
        .then(() => this.#tell('info', 'PostgreSQL is connected again'))
        .catch(() => this.#tryAgain());
    });
  }

  #tell(level: 'info' | 'warn', message: string): void {
    this.#parts.log.write({ level, type: 'error', message });
  }
}

const FAREWELL_MS = 1000;

/** A server that hangs does not answer the farewell: then the connection is dropped. */
async function endWithin(client: Client, clock: Clock): Promise<void> {
  const cancel = clock.after(FAREWELL_MS, () => dropConnection(client));
  await client.end().catch(() => {});
  cancel();
}
