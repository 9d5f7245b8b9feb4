// What a server learns from talking to the Redis of the rate limits: the epoch of its data, what time it is there, and
// who else is alive. It is remembered while Redis is away, because that is when it is needed.

import type { Clock } from '../../../kernel/clock.ts';
import {
  type CallReply,
  callRateLimits,
  type Operation,
  type RateLimitCallParts,
} from './rate-limit-call.ts';

/** Clocks drift, and Redis may move to another machine. */
const TIME_GOOD_MS = 10_000;

export class RateLimitSession {
  /** Empty until Redis has been asked for the first time. */
  epoch = '';
  readonly #parts: RateLimitCallParts;
  readonly #clock: Clock;
  #servers: readonly string[] = [];
  /** From elapsed time to that of Redis; never too small, so that nothing is over too soon. */
  #aheadMs: number;
  /** By how much it may be too large, and until when nothing less exact is taken instead. */
  #doubtMs = Number.POSITIVE_INFINITY;
  #goodUntil = 0;

  constructor(parts: RateLimitCallParts, clock: Clock) {
    this.#parts = parts;
    this.#clock = clock;
    this.#aheadMs = clock.now() - clock.monotonic();
  }

  /** By the clock of Redis, or by ours before the first answer. */
  now(): number {
    return this.#clock.monotonic() + this.#aheadMs;
  }

  /** How many were alive when that was last known, this one included. */
  get serverCount(): number {
    return Math.max(1, this.#servers.length);
  }

  ask(operations: readonly Operation[]): Promise<CallReply> {
    return this.#call(operations, false);
  }

  /** As `ask`, for one that counts by itself: the others keep its share free, and it awaits those it knew. */
  async tell(operations: readonly Operation[]): Promise<CallReply> {
    return this.#call(operations, true);
  }

  async leave(): Promise<void> {
    const { link, keys, serverId } = this.#parts;
    await link.run((redis) => redis.zrem(keys.servers, serverId));
  }

  async #call(operations: readonly Operation[], isAlone: boolean): Promise<CallReply> {
    const sentAt = this.#clock.monotonic();
    const awaits = isAlone ? this.#servers : [];
    const state = { epoch: this.epoch, isAlone, awaits, now: this.now() };
    const reply = await callRateLimits(this.#parts, state, operations);
    this.#learnTime(reply.now, sentAt);
    if (reply.done) this.#servers = reply.done.alive;
    return reply;
  }

  /** The quicker an answer, the better is known when it was given. */
  #learnTime(redisNow: number, sentAt: number): void {
    const answeredAt = this.#clock.monotonic();
    const doubtMs = answeredAt - sentAt;
    if (doubtMs > this.#doubtMs && answeredAt < this.#goodUntil) return;
    this.#aheadMs = redisNow + 1 - sentAt;
    this.#doubtMs = doubtMs;
    this.#goodUntil = answeredAt + TIME_GOOD_MS;
  }
}
