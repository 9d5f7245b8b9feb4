// One connection to the broker that recovers by itself. The driver reconnects indefinitely; this class adds a timeout
// for every wait, one log entry for each loss and each recovery, and a close that does not hang on a frozen broker.
// States: disconnected ⇄ connected ⇄ blocked (an alarm: the broker accepts no messages); closed.

import { type Channel, Connection } from 'rabbitmq-client';
import type { Clock } from '../../../kernel/clock.ts';
import { type Log, type LogEntry, reasonOf } from '../../../kernel/log.ts';
import { isCorked } from '../publish/cork-writes.ts';
import { ANSWER_TIMEOUT_MS, within } from './time-limit.ts';

export type BrokerConnectionParts = {
  readonly url: string;
  /** Shown in the broker's list of connections. */
  readonly purpose: 'publish' | 'consume' | 'forward' | 'inspect';
  readonly clock: Clock;
  readonly log: Log;
};

const HEARTBEAT_SECONDS = 10;
const MIN_RECONNECT_MS = 250;
const MAX_RECONNECT_MS = 5000;
const CLOSE_TIMEOUT_MS = 5000;

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
      retryLow: MIN_RECONNECT_MS,
      retryHigh: MAX_RECONNECT_MS,
      connectionTimeout: ANSWER_TIMEOUT_MS,
      acquireTimeout: ANSWER_TIMEOUT_MS,
      noDelay: true,
    });
    this.#listen();
  }

  /** Connected, and the broker accepts messages. */
  get isReady(): boolean {
    return this.#connection.ready || isCorked(this.#connection);
  }

  /** The reason of the current loss; undefined while connected. */
  get lastFailure(): string | undefined {
    return this.#lastFailure;
  }

  ready(limitMs: number): Promise<void> {
    return this.#until(() => this.isReady, limitMs);
  }

  /** Waits until the connection is ready or has failed. */
  async isReachable(limitMs: number): Promise<boolean> {
    const isKnown = () => this.isReady || this.#lastFailure !== undefined;
    await this.#until(isKnown, limitMs).catch(() => {});
    return this.isReady;
  }

  async openChannel(): Promise<Channel> {
    const opening = this.#connection.acquire({ emitErrorsFromChannel: true });
    try {
      const channel = await within(this.clock, ANSWER_TIMEOUT_MS, opening, 'open a channel');
      channel.on('error', (cause) => this.#write('warn', 'RabbitMQ closed a channel', cause));
      return channel;
    } catch (cause) {
      // The caller has given up: close a channel that opens late.
      void opening.then((late) => late.close()).catch(() => {});
      throw cause;
    }
  }

  /** A channel for one command: the broker answers a failing one by closing its channel. */
  async withChannel<T>(command: (channel: Channel) => Promise<T>): Promise<T> {
    const channel = await this.openChannel();
    try {
      return await within(this.clock, ANSWER_TIMEOUT_MS, command(channel), 'answer');
    } finally {
      // Not awaited: it never rejects, and on a frozen broker it never ends.
      void channel.close();
    }
  }

  /** Idempotent. Open channels are lost with the connection. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      const closing = this.#connection.close();
      await within(this.clock, CLOSE_TIMEOUT_MS, closing, 'close the connection');
    } catch {
      this.#connection.unsafeDestroy();
    }
  }

  async #until(claim: () => boolean, limitMs: number): Promise<void> {
    if (claim()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => {
      if (claim()) resolve();
    };
    this.#listeners.add(check);
    try {
      await within(this.clock, limitMs, promise, 'become ready');
    } finally {
      this.#listeners.delete(check);
    }
  }

  #listen(): void {
    const connection = this.#connection;
    connection.on('error', (cause) => {
      this.#lastFailure = reasonOf(cause);
      this.#write('warn', 'RabbitMQ is unavailable', cause);
      this.#wakeListeners();
    });
    connection.on('connection', () => {
      if (this.#lastFailure !== undefined) this.#write('info', 'RabbitMQ is available again');
      this.#lastFailure = undefined;
      this.#wakeListeners();
    });
    connection.on('connection.blocked', (reason) =>
      this.#write('warn', 'RabbitMQ accepts no messages: it has a resource alarm', reason),
    );
    connection.on('connection.unblocked', () => {
      this.#write('info', 'RabbitMQ accepts messages again');
      this.#wakeListeners();
    });
  }

  #wakeListeners(): void {
    for (const wake of this.#listeners) wake();
  }

  #write(level: LogEntry['level'], message: string, cause?: unknown): void {
    const connection = this.#parts.purpose;
    const metadata = cause === undefined ? { connection } : { connection, reason: reasonOf(cause) };
    this.#parts.log.write({ level, type: 'error', message, metadata });
  }
}
