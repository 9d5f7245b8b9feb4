// One connection to Redis that recovers by itself. The driver reconnects without end; this class adds a check of each new
// connection, a heartbeat that detects a dead or frozen Redis, a timeout for each command, and an immediate rejection while
// Redis is unavailable, so that an outage costs a request nothing.
// States: down → up (connected and verified) → down (the connection broke, or a heartbeat or several commands in a row
// went unanswered); closed from either.

import { Redis } from 'ioredis';
import { SpillwayError } from '../../../errors/spillway-error.ts';
import type { CancelTimer, Clock } from '../../../kernel/clock.ts';
import { answerWithin, LATE } from './answer-within.ts';
import type { RedisAddress } from './redis-address.ts';
import { DISCONNECT_TIMEOUT_MS, driverOptions, type RedisTimeouts } from './redis-settings.ts';

export type RedisConnectionParts = {
  readonly address: RedisAddress;
  /** Shown by CLIENT LIST. */
  readonly name: 'commands' | 'subscriber' | 'inspect';
  readonly timeouts: RedisTimeouts;
  readonly clock: Clock;
  /** Runs on every new connection and at every heartbeat; returns why this Redis must not be used. */
  readonly verify: (redis: Redis) => Promise<string | undefined>;
  readonly onStateChange: (isUp: boolean) => void;
  /** Called on each failure, even while the connection is down. */
  readonly onFailure?: () => void;
};

/** After this many unanswered commands in a row, commands are rejected until a heartbeat is answered. */
const MAX_MISSES = 5;

export class RedisConnection {
  readonly #parts: RedisConnectionParts;
  readonly #client: Redis;
  readonly #sockets = new WeakSet<object>();
  #state: 'down' | 'up' | 'closed' = 'down';
  #misses = 0;
  #isChecking = false;
  #cancelHeartbeat: CancelTimer | undefined;
  #lastFailure: unknown;
  #refusal: string | undefined;

  constructor(parts: RedisConnectionParts) {
    this.#parts = parts;
    this.#client = openDriver(parts);
    this.#client.on('error', (cause) => {
      this.#lastFailure = cause;
      this.#guardSocket();
      parts.onFailure?.();
    });
    this.#client.on('connect', () => this.#guardSocket());
    this.#client.on('ready', () => void this.#heartbeat());
    this.#client.on('close', () => this.#markDown());
  }

  get isUp(): boolean {
    return this.#state === 'up';
  }

  /** The driver's last error, even after a recovery. */
  get lastFailure(): unknown {
    return this.#lastFailure;
  }

  /** Why `verify` rejected the Redis that answers. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  onMessage(listener: (channel: string, message: string) => void): void {
    this.#client.on('message', listener);
  }

  /** Rejects at once while Redis is unavailable, and after the timeout. */
  async run<T>(
    command: (redis: Redis) => Promise<T>,
    timeoutMs = this.#parts.timeouts.commandTimeoutMs,
  ): Promise<T> {
    if (this.#state !== 'up') throw unavailable('Redis is unavailable');
    try {
      const answer = await answerWithin(this.#parts.clock, timeoutMs, command(this.#client));
      if (answer === LATE) throw this.#missed(timeoutMs);
      this.#misses = 0;
      return answer;
    } catch (cause) {
      if (cause instanceof SpillwayError) throw cause;
      this.#misses = 0;
      const reason = cause instanceof Error ? cause.message : 'no reason';
      throw unavailable(`Redis command failed (${reason})`, cause);
    }
  }

  /** Idempotent; does not wait for a frozen Redis. */
  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#cancelHeartbeat?.();
    this.#guardSocket();
    const isConnected = ['connecting', 'connect', 'ready'].includes(this.#client.status);
    const ended = new Promise<void>((resolve) => this.#client.once('end', () => resolve()));
    this.#client.disconnect();
    if (isConnected) await answerWithin(this.#parts.clock, 2 * DISCONNECT_TIMEOUT_MS, ended);
  }

  #missed(timeoutMs: number): SpillwayError {
    this.#misses += 1;
    if (this.#misses >= MAX_MISSES && this.#state === 'up') {
      this.#markDown();
      void this.#heartbeat();
    }
    return unavailable(`Redis did not answer within ${timeoutMs} ms`);
  }

  async #heartbeat(): Promise<void> {
    if (this.#isChecking || this.#state === 'closed') return;
    this.#isChecking = true;
    this.#cancelHeartbeat?.();
    const { clock, timeouts, verify } = this.#parts;
    try {
      const refusal = await answerWithin(clock, timeouts.backgroundTimeoutMs, verify(this.#client));
      if (refusal === LATE) this.#reconnect();
      else this.#onVerified(refusal);
    } catch (cause) {
      this.#lastFailure = cause;
      this.#markDown();
    }
    this.#isChecking = false;
    if (this.#client.status !== 'ready' || this.#isClosed()) return;
    this.#cancelHeartbeat = clock.after(timeouts.heartbeatMs, () => void this.#heartbeat());
  }

  #onVerified(refusal: string | undefined): void {
    this.#refusal = refusal;
    if (refusal !== undefined) {
      this.#parts.onFailure?.();
      return this.#markDown();
    }
    // The connection may have broken right after the answer.
    if (this.#client.status !== 'ready' || this.#state !== 'down') return;
    this.#misses = 0;
    this.#state = 'up';
    this.#parts.onStateChange(true);
  }

  #markDown(): void {
    if (this.#state !== 'up') return;
    this.#state = 'down';
    this.#parts.onStateChange(false);
  }

  /** Replaces a connection that does not answer. */
  #reconnect(): void {
    this.#lastFailure = new Error('no answer to the heartbeat');
    this.#markDown();
    if (!this.#isClosed()) this.#client.disconnect(true);
  }

  /** The driver handles only a socket's first error; a second one, as TLS may emit, would end the process. */
  #guardSocket(): void {
    const socket: Redis['stream'] | undefined = this.#client.stream;
    if (!socket || this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.on('error', () => {});
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }
}

function openDriver({ address, name, timeouts, clock }: RedisConnectionParts): Redis {
  const { url, ...options } = driverOptions({ address, name, timeouts, clock });
  return url === undefined ? new Redis(options) : new Redis(url, options);
}

function unavailable(message: string, cause?: unknown): SpillwayError {
  return new SpillwayError('CAPACITY_EXHAUSTED', message, { cause });
}
