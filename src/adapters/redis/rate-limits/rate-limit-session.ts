// The state that a server learns from each call of the rate limit script: the epoch of Redis' data, the offset of Redis'
// clock, and the list of live servers. The safe share depends on it while Redis is unavailable.

import type { Clock } from '../../../kernel/clock.ts';
import {
  type CallReply,
  callRateLimits,
  type Operation,
  type RateLimitCallParts,
} from './rate-limit-call.ts';

/** Clocks drift, and Redis may move to another machine. */
const OFFSET_VALID_MS = 10_000;

export class RateLimitSession {
  /** Empty until the first answer. */
  epoch = '';
  readonly #parts: RateLimitCallParts;
  readonly #clock: Clock;
  #servers: readonly string[] = [];
  /** Redis' clock minus the monotonic clock. An upper bound, so that no admission expires too soon. */
  #offsetMs: number;
  /** The error bound of the offset, and until when a less exact one is ignored. */
  #errorMs = Number.POSITIVE_INFINITY;
  #validUntil = 0;

  constructor(parts: RateLimitCallParts, clock: Clock) {
    this.#parts = parts;
    this.#clock = clock;
    this.#offsetMs = clock.now() - clock.monotonic();
  }

  /** The time in Redis, or the local time before the first answer. */
  now(): number {
    return this.#clock.monotonic() + this.#offsetMs;
  }

  /** Live servers in the last answer, this one included. */
  get serverCount(): number {
    return Math.max(1, this.#servers.length);
  }

  ask(operations: readonly Operation[]): Promise<CallReply> {
    return this.#call(operations, false);
  }

  /** As `ask`, for a server that uses its safe share: the share stays reserved, and so do the shares of the servers it knew. */
  report(operations: readonly Operation[]): Promise<CallReply> {
    return this.#call(operations, true);
  }

  async leave(): Promise<void> {
    const { link, keys, serverId } = this.#parts;
    await link.run((redis) => redis.zrem(keys.servers, serverId));
  }

  async #call(operations: readonly Operation[], isFallback: boolean): Promise<CallReply> {
    const sentAt = this.#clock.monotonic();
    const awaits = isFallback ? this.#servers : [];
    const state = { epoch: this.epoch, isFallback, awaits, now: this.now() };
    const reply = await callRateLimits(this.#parts, state, operations);
    this.#learnOffset(reply.now, sentAt);
    if (reply.done) this.#servers = reply.done.alive;
    return reply;
  }

  /** The faster the answer, the smaller the error. */
  #learnOffset(redisNow: number, sentAt: number): void {
    const answeredAt = this.#clock.monotonic();
    const errorMs = answeredAt - sentAt;
    if (errorMs > this.#errorMs && answeredAt < this.#validUntil) return;
    this.#offsetMs = redisNow + 1 - sentAt;
    this.#errorMs = errorMs;
    this.#validUntil = answeredAt + OFFSET_VALID_MS;
  }
}
