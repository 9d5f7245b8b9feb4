// A connection beside the pool for state that belongs to a connection and not to a statement: session locks and
// notifications. When it breaks, or PostgreSQL stops answering, it reconnects and calls every listener again.
// States: down → up (connected, every listener has returned) → down (lost; retried every second) …; closed from any.

import { Client, type ClientConfig, type Notification } from 'pg';
import type { CancelTimer, Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import { destroyConnection, queryWithTimeout } from '../statements/query-timeout.ts';

/** Runs one statement on the connection; statements run one after another. */
export type RunStatement = (
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Record<string, unknown>[]>;

export type SessionListener = {
  /** Runs on each new connection before it counts as up; a rejection drops the connection. */
  onConnect(run: RunStatement): Promise<void>;
  /** Runs every few seconds while the connection is up; a rejection drops it, which detects a dead peer. */
  onHeartbeat?(run: RunStatement): Promise<void>;
  onNotification?(notification: Notification): void;
  onLost?(): void;
};

export type SessionParts = {
  readonly config: ClientConfig;
  /** Set on each new connection, by name. */
  readonly parameters?: Readonly<Record<string, number>>;
  readonly queryTimeoutMs: number;
  readonly listeners: readonly SessionListener[];
  readonly clock: Clock;
  readonly log: Log;
};

const RECONNECT_MS = 1000;
const HEARTBEAT_MS = 2000;
/** PostgreSQL notices within 25 s that this machine is gone, and ends the session with its locks. */
const KEEPALIVE = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 };

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

  /** Resolves when the session is up. Rejects if the first connection fails; it is not retried then. */
  open(): Promise<void> {
    this.#connecting = this.#connect();
    return this.#connecting;
  }

  get isUp(): boolean {
    return this.#client !== undefined;
  }

  /** Rejects immediately while the session is down. */
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
    // Waits until PostgreSQL has ended the session, so that its locks are free when this resolves.
    if (client) await endWithin(client, this.#parts.clock);
  }

  async #connect(): Promise<void> {
    const { config, listeners, clock } = this.#parts;
    const client = new Client(config);
    let hasEnded = false;
    // A broken connection emits `end` too, which is handled below.
    client.on('error', () => {});
    client.once('end', () => {
      hasEnded = true;
      this.#lose(client);
    });
    client.on('notification', (notification) =>
      listeners.forEach((listener) => listener.onNotification?.(notification)),
    );
    try {
      await client.connect();
      await this.#startListeners(client);
      if (hasEnded) throw new Error('the session with PostgreSQL ended while it was being set up');
    } catch (cause) {
      destroyConnection(client);
      for (const listener of listeners) listener.onLost?.();
      throw cause;
    }
    this.#client = client;
    this.#cancelTimer = clock.after(HEARTBEAT_MS, () => this.#heartbeat());
  }

  async #startListeners(client: Client): Promise<void> {
    const { parameters, listeners } = this.#parts;
    const all = Object.entries({ ...KEEPALIVE, ...parameters });
    await this.#runOn(client, all.map(([name, value]) => `set ${name} = ${value}`).join(';'), []);
    for (const listener of listeners)
      await listener.onConnect((text, values = []) => this.#runOn(client, text, values));
  }

  /** Serialized: the driver deprecates queueing a second query on a busy client. */
  #runOn(client: Client, text: string, values: readonly unknown[]) {
    const { queryTimeoutMs } = this.#parts;
    const statement = this.#lastStatement.then(async () => {
      const { rows } = await queryWithTimeout(client, { text, values }, queryTimeoutMs);
      return rows;
    });
    this.#lastStatement = statement.catch(() => {});
    return statement;
  }

  #heartbeat(): void {
    const client = this.#client;
    if (!client) return;
    void this.#runHeartbeats(client).then(
      () => {
        if (this.#client === client)
          this.#cancelTimer = this.#parts.clock.after(HEARTBEAT_MS, () => this.#heartbeat());
      },
      () => destroyConnection(client),
    );
  }

  async #runHeartbeats(client: Client): Promise<void> {
    for (const listener of this.#parts.listeners)
      await listener.onHeartbeat?.((text, values = []) => this.#runOn(client, text, values));
  }

  #lose(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#cancelTimer?.();
    this.#log('warn', 'the connection to PostgreSQL is lost');
    for (const listener of this.#parts.listeners) listener.onLost?.();
    this.#reconnectLater();
  }

  #reconnectLater(): void {
    if (this.#isClosed) return;
    const { clock } = this.#parts;
    this.#cancelTimer = clock.after(RECONNECT_MS * (0.5 + clock.random()), () => {
      this.#connecting = this.#connect()
        .then(() => this.#log('info', 'PostgreSQL is connected again'))
        .catch(() => this.#reconnectLater());
    });
  }

  #log(level: 'info' | 'warn', message: string): void {
    this.#parts.log.write({ level, type: 'error', message });
  }
}

const CLOSE_TIMEOUT_MS = 1000;

/** A PostgreSQL that hangs does not answer the end of a session: then the socket is destroyed. */
async function endWithin(client: Client, clock: Clock): Promise<void> {
  const cancel = clock.after(CLOSE_TIMEOUT_MS, () => destroyConnection(client));
  await client.end().catch(() => {});
  cancel();
}
