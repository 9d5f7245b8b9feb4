// One connection to Redis that is there again by itself. The driver reconnects for ever; this adds a greeting before
// a connection counts, a beat that finds out one that is dead or frozen, an end to every wait, and a refusal at once
// while Redis is away, so that it costs a request nothing.
// States: away → up (connected, and the greeting was answered well) → away (the connection broke, a beat was not
// answered, or several commands in a row were not); closed from either.

import { Redis } from 'ioredis';
import { SpillwayError } from '../../../errors/spillway-error.ts';
import type { CancelTimer, Clock } from '../../../kernel/clock.ts';
import { answerWithin, LATE } from './answer-within.ts';
import { driverOptions, FAREWELL_MS, type RedisTimeouts } from './redis-settings.ts';

export type RedisConnectionParts = {
  readonly url: string;
  /** What it is for; Redis shows it in its own list of clients. */
  readonly name: 'commands' | 'subscriber' | 'inspect';
  readonly timeouts: RedisTimeouts;
  readonly clock: Clock;
  /** Asked of every new connection and at every beat. Answers why this Redis must not be used, if it must not. */
  readonly greet: (redis: Redis) => Promise<string | undefined>;
  readonly onStateChange: (isUp: boolean) => void;
  /** Told of each failure, also while it is away; most of them pass. */
  readonly onTrouble?: () => void;
};

/** From here on commands are refused without being sent, until Redis has answered a greeting. */
const MISSES_IN_A_ROW = 5;

export class RedisConnection {
  readonly #parts: RedisConnectionParts;
  readonly #client: Redis;
  readonly #sockets = new WeakSet<object>();
  #state: 'away' | 'up' | 'closed' = 'away';
  #misses = 0;
  #isBeating = false;
  #cancelBeat: CancelTimer | undefined;
  #lastFailure: unknown;
  #refusal: string | undefined;

  constructor(parts: RedisConnectionParts) {
    this.#parts = parts;
    this.#client = new Redis(parts.url, driverOptions(parts.name, parts.timeouts, parts.clock));
    this.#client.on('error', (cause) => {
      this.#lastFailure = cause;
      this.#hearSocket();
      parts.onTrouble?.();
    });
    this.#client.on('connect', () => this.#hearSocket());
    this.#client.on('ready', () => void this.#beat());
    this.#client.on('close', () => this.#fall());
  }

  get isUp(): boolean {
    return this.#state === 'up';
  }

  /** What the driver said last; it may be long over. */
  get lastFailure(): unknown {
    return this.#lastFailure;
  }

  /** Why the Redis that answers must not be used. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  onMessage(hear: (channel: string, message: string) => void): void {
    this.#client.on('message', hear);
  }

  /** Rejects at once while Redis is away, and when its time is up. */
  async run<T>(
    ask: (redis: Redis) => Promise<T>,
    limitMs = this.#parts.timeouts.commandTimeoutMs,
  ): Promise<T> {
    if (this.#state !== 'up') throw away('Redis is away');
    try {
      const answer = await answerWithin(this.#parts.clock, limitMs, ask(this.#client));
      if (answer === LATE) throw this.#missed(limitMs);
      this.#misses = 0;
      return answer;
    } catch (cause) {
      if (cause instanceof SpillwayError) throw cause;
      this.#misses = 0;
      const reason = cause instanceof Error ? cause.message : 'no reason';
      throw away(`Redis did not do it (${reason})`, cause);
    }
  }

  /** Idempotent; does not wait for a Redis that hangs. */
  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#cancelBeat?.();
    this.#hearSocket();
    const isConnected = ['connecting', 'connect', 'ready'].includes(this.#client.status);
    const ended = new Promise<void>((resolve) => this.#client.once('end', () => resolve()));
    this.#client.disconnect();
    if (isConnected) await answerWithin(this.#parts.clock, 2 * FAREWELL_MS, ended);
  }

  #missed(limitMs: number): SpillwayError {
    this.#misses += 1;
    if (this.#misses >= MISSES_IN_A_ROW && this.#state === 'up') {
      this.#fall();
      void this.#beat();
    }
    return away(`Redis did not answer within ${limitMs} ms`);
  }

  async #beat(): Promise<void> {
    if (this.#isBeating || this.#state === 'closed') return;
    this.#isBeating = true;
    this.#cancelBeat?.();
    const { clock, timeouts, greet } = this.#parts;
    try {
      const refusal = await answerWithin(clock, timeouts.patientTimeoutMs, greet(this.#client));
      if (refusal === LATE) this.#drop();
      else this.#heed(refusal);
    } catch (cause) {
      this.#lastFailure = cause;
      this.#fall();
    }
    this.#isBeating = false;
    if (this.#client.status !== 'ready' || this.#isClosed()) return;
    this.#cancelBeat = clock.after(timeouts.beatMs, () => void this.#beat());
  }

  #heed(refusal: string | undefined): void {
    this.#refusal = refusal;
    if (refusal !== undefined) {
      this.#parts.onTrouble?.();
      return this.#fall();
    }
    // It may have broken just after it answered.
    if (this.#client.status !== 'ready' || this.#state !== 'away') return;
    this.#misses = 0;
    this.#state = 'up';
    this.#parts.onStateChange(true);
  }

  #fall(): void {
    if (this.#state !== 'up') return;
    this.#state = 'away';
    this.#parts.onStateChange(false);
  }

  /** What hangs is not waited for: the driver makes another connection. */
  #drop(): void {
    this.#lastFailure = new Error('it does not answer');
    this.#fall();
    if (!this.#isClosed()) this.#client.disconnect(true);
  }

  /** The driver hears a socket's first error alone; another one, which TLS may have, would end the process. */
  #hearSocket(): void {
    const socket: Redis['stream'] | undefined = this.#client.stream;
    if (!socket || this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.on('error', () => {});
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }
}

function away(message: string, cause?: unknown): SpillwayError {
  return new SpillwayError('CAPACITY_EXHAUSTED', message, { cause });
}
