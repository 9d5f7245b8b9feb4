// One connection to the broker that is there again by itself. The driver reconnects for ever; this adds what it
// lacks: an end to every wait, one line in the log when the broker goes and one when it is back, and a close that
// does not hang on a broker that hangs.
// States: away ⇄ connected ⇄ blocked (an alarm: the broker takes no messages); closed.

import { type Channel, Connection } from 'rabbitmq-client';
import type { Clock } from '../../../kernel/clock.ts';
import type { Log, LogEntry } from '../../../kernel/log.ts';
import { isGathering } from '../publish/gather-writes.ts';
import { reasonOf } from './broker-error.ts';
import { ANSWER_WITHIN_MS, within } from './time-limit.ts';

export type BrokerConnectionParts = {
  readonly url: string;
  /** What it is for; the broker's own lists show it. */
  readonly purpose: 'publish' | 'consume' | 'inspect';
  readonly clock: Clock;
  readonly log: Log;
};

const HEARTBEAT_SECONDS = 10;
const RECONNECT_FIRST_MS = 250;
const RECONNECT_LAST_MS = 5000;
const CLOSE_WITHIN_MS = 5000;

export class BrokerConnection {
  readonly clock: Clock;
  readonly #parts: BrokerConnectionParts;
  readonly #connection: Connection;
  readonly #listeners = new Set<() => void>();
  #lastFailure: string | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: BrokerConnectionParts) {
    this.clock = parts.clock;
    this.#parts = parts;
    this.#connection = new Connection({
      url: parts.url,
      connectionName: `spillway ${parts.purpose}`,
      heartbeat: HEARTBEAT_SECONDS,
      retryLow: RECONNECT_FIRST_MS,
      retryHigh: RECONNECT_LAST_MS,
      connectionTimeout: ANSWER_WITHIN_MS,
      acquireTimeout: ANSWER_WITHIN_MS,
      noDelay: true,
    });
    this.#listen();
  }

  /** Connected, and the broker takes messages. */
  get isReady(): boolean {
    return this.#connection.ready || isGathering(this.#connection);
  }

  /** Why it is away, as far as it was told. */
  get lastFailure(): string | undefined {
    return this.#lastFailure;
  }

  ready(limitMs: number): Promise<void> {
    return this.#until(() => this.isReady, limitMs);
  }

  /** Waits until it is ready or is known to be away. */
  async isReachable(limitMs: number): Promise<boolean> {
    const isKnown = () => this.isReady || this.#lastFailure !== undefined;
    await this.#until(isKnown, limitMs).catch(() => {});
    return this.isReady;
  }

  async openChannel(): Promise<Channel> {
    const opening = this.#connection.acquire({ emitErrorsFromChannel: true });
    try {
      const channel = await within(this.clock, ANSWER_WITHIN_MS, opening, 'open a channel');
      channel.on('error', (cause) => this.#tell('warn', 'RabbitMQ closed a channel', cause));
      return channel;
    } catch (cause) {
      // A channel that opens after all is of use to nobody.
      void opening.then((late) => late.close()).catch(() => {});
      throw cause;
    }
  }

  /** A channel for one question: the broker answers a wrong one by closing the channel it came on. */
  async withChannel<T>(ask: (channel: Channel) => Promise<T>): Promise<T> {
    const channel = await this.openChannel();
    try {
      return await within(this.clock, ANSWER_WITHIN_MS, ask(channel), 'answer');
    } finally {
      // Not waited for: it never rejects, and on a frozen broker it would not end.
      void channel.close();
    }
  }

  /** Idempotent. Channels should be closed before; those that are not are lost with the connection. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      const closing = this.#connection.close();
      await within(this.clock, CLOSE_WITHIN_MS, closing, 'say goodbye');
    } catch {
      this.#connection.unsafeDestroy();
    }
  }

  async #until(isSo: () => boolean, limitMs: number): Promise<void> {
    if (isSo()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (isSo()) resolve();
    };
    this.#listeners.add(look);
    try {
      await within(this.clock, limitMs, promise, 'become ready');
    } finally {
      this.#listeners.delete(look);
    }
  }

  #listen(): void {
    const connection = this.#connection;
    connection.on('error', (cause) => {
      this.#lastFailure = reasonOf(cause);
      this.#tell('warn', 'RabbitMQ is away', cause);
      this.#wakeListeners();
    });
    connection.on('connection', () => {
      if (this.#lastFailure !== undefined) this.#tell('info', 'RabbitMQ is back');
      this.#lastFailure = undefined;
      this.#wakeListeners();
    });
    connection.on('connection.blocked', (reason) =>
      this.#tell('warn', 'RabbitMQ takes no messages: it has an alarm', reason),
    );
    connection.on('connection.unblocked', () => {
      this.#tell('info', 'RabbitMQ takes messages again');
      this.#wakeListeners();
    });
  }

  #wakeListeners(): void {
    for (const wake of this.#listeners) wake();
  }

  #tell(level: LogEntry['level'], message: string, cause?: unknown): void {
    const connection = this.#parts.purpose;
    const metadata = cause === undefined ? { connection } : { connection, reason: reasonOf(cause) };
    this.#parts.log.write({ level, type: 'error', message, metadata });
  }
}
