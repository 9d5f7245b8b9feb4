// Decisions of a server that cannot ask Redis. With N servers last known alive it admits, over each window, 0.8 of a
// limit divided by N. What was admitted just before still counts: so during the first window its share is of what was
// left when a limit was last seen; what it has admitted since then is part of that share, so that one who is left alone
// twice has not two. What becomes free meanwhile it does not use, because others may still be counting together and
// use it. Background work is not decided here at all: it pauses. Time is an estimate of that of Redis,
// never behind it.

import { costOf, LimitCounters } from '../../../resilience/limit-counters.ts';
import type { Limit, PermitAsk, PermitDecision } from '../../../resilience/rate-limiter.ts';
import { countsMs, type ObservedLimits } from './observed-limits.ts';
import type { Admission } from './own-admissions.ts';
import { SAFE_PART } from './rate-limit-script.ts';

const PAUSE_MS = 1000;

export class SafeShare {
  readonly #places: ObservedLimits;
  readonly #servers: number;
  readonly #since: number;
  readonly #book = new LimitCounters((limit) => this.#maxOf(limit));
  #now: number;

  constructor(places: ObservedLimits, servers: number, own: Iterable<Admission>, now: number) {
    this.#places = places;
    this.#servers = Math.max(1, servers);
    this.#since = now;
    this.#now = now;
    for (const admission of own) this.#remember(admission);
  }

  take(ask: PermitAsk, now: number): PermitDecision {
    if (ask.isBackground) return pause(ask);
    this.#now = now;
    const decision = this.#book.take(ask, { monotonic: now, wall: now });
    if (decision.isAllowed || decision.retryAfterMs !== undefined) return decision;
    // Larger than the share is not larger than the limit: it fits again when there is more of it.
    const isTooLarge = ask.limits.some(({ kind, max }) => costOf(kind, ask.tokens) > max);
    if (isTooLarge || !decision.binding) return decision;
    const waitMs = this.#moreAfterMs(decision.binding.limit);
    return {
      ...decision,
      retryAfterMs: waitMs,
      comeBackMs: ask.wantsComeback ? waitMs : undefined,
    };
  }

  /** Redis admitted it after all. */
  record(admission: Admission): void {
    this.#book.record(admission, admission.takenAt);
  }

  giveBack(admission: Admission): void {
    this.#book.giveBack(admission);
  }

  settle(admission: Admission, usedTokens: number): void {
    this.#book.settle(admission, usedTokens);
  }

  look(limits: readonly Limit[], now: number) {
    this.#now = now;
    return this.#book.look(limits, { monotonic: now, wall: now });
  }

  #remember(admission: Admission): void {
    const { takenAt, usedTokens } = admission;
    const limits = admission.limits.filter((limit) => this.#places.of(limit).seenAt < takenAt);
    if (limits.length === 0) return;
    this.#book.record(admission, takenAt, limits);
    if (usedTokens !== undefined) this.#book.settle(admission, usedTokens);
  }

  /** After its first window a server has a larger share; and who knows when Redis is back. */
  #moreAfterMs(limit: Limit): number {
    return Math.max(PAUSE_MS, Math.ceil(this.#since + countsMs(limit) - this.#now));
  }

  #maxOf(limit: Limit): number {
    const isFirstWindow = this.#now < this.#since + countsMs(limit);
    const whole = isFirstWindow ? this.#leftOf(limit) : limit.max;
    return Math.floor((SAFE_PART * whole) / this.#servers);
  }

  #leftOf(limit: Limit): number {
    const { remaining, seenAt } = this.#places.of(limit);
    const isKnown = seenAt + countsMs(limit) > this.#since;
    return isKnown ? Math.min(remaining, limit.max) : limit.max;
  }
}

function pause({ wantsComeback }: PermitAsk): PermitDecision {
  return {
    isAllowed: false,
    binding: undefined,
    standings: [],
    retryAfterMs: PAUSE_MS,
    comeBackMs: wantsComeback ? PAUSE_MS : undefined,
  };
}
