// Decisions of a server while Redis is unavailable. With N servers last known alive it admits 0.8 × limit ÷ N per window.
// Earlier admissions still count: during the first window the share is of the remainder that the server last observed, and
// its admissions since that observation are part of the share, so that two outages in a row do not grant two shares. Slots
// that open in the first window are not used, because other servers may still share Redis and use them. A share that was
// given up and not followed by an observation may have been used by other servers, so nothing is left of it in the first
// window. Background work pauses. Time is an estimate of Redis' clock, never behind it.

import { costOf, LimitCounters } from '../../../resilience/limit-counters.ts';
import type { Limit, PermitAsk, PermitDecision } from '../../../resilience/rate-limiter.ts';
import type { Admission } from './local-admissions.ts';
import { countsMs, type ObservedLimits } from './observed-limits.ts';
import { SAFE_PART } from './rate-limit-script.ts';

const PAUSE_MS = 1000;
const PAUSED: PermitDecision = Object.freeze({
  isAllowed: false,
  binding: undefined,
  standings: [],
  retryAfterMs: PAUSE_MS,
});

export class SafeShare {
  readonly #observed: ObservedLimits;
  readonly #servers: number;
  /** When this server lost contact. */
  readonly since: number;
  readonly #counters = new LimitCounters((limit) => this.#maxOf(limit));
  #now: number;

  constructor(
    observed: ObservedLimits,
    servers: number,
    admissions: Iterable<Admission>,
    now: number,
  ) {
    this.#observed = observed;
    this.#servers = Math.max(1, servers);
    this.since = now;
    this.#now = now;
    for (const admission of admissions) this.#recordUnobserved(admission);
  }

  take(ask: PermitAsk, now: number): PermitDecision {
    if (ask.isBackground) return PAUSED;
    this.#now = now;
    for (const limit of ask.limits) this.#observed.of(limit).decidedAt = now;
    const decision = this.#counters.take(ask, { monotonic: now, wall: now });
    if (decision.isAllowed || decision.retryAfterMs !== undefined) return decision;
    // An ask above the share but within the limit fits when the share grows.
    const isTooLarge = ask.limits.some(({ kind, max }) => costOf(kind, ask.tokens) > max);
    if (isTooLarge || !decision.binding) return decision;
    return { ...decision, retryAfterMs: this.#growsAfterMs(decision.binding.limit) };
  }

  /** An answer of Redis that arrived after the fallback had begun. */
  record(admission: Admission): void {
    this.#counters.record(admission, admission.takenAt);
  }

  giveBack(admission: Admission): void {
    this.#counters.giveBack(admission);
  }

  settle(admission: Admission, usedTokens: number): void {
    this.#counters.settle(admission, usedTokens);
  }

  look(limits: readonly Limit[], now: number) {
    this.#now = now;
    return this.#counters.look(limits, { monotonic: now, wall: now });
  }

  #recordUnobserved(admission: Admission): void {
    const { takenAt, usedTokens } = admission;
    const limits = admission.limits.filter((limit) => this.#observed.of(limit).seenAt < takenAt);
    if (limits.length === 0) return;
    this.#counters.record(admission, takenAt, limits);
    if (usedTokens !== undefined) this.#counters.settle(admission, usedTokens);
  }

  /** The share grows after the first window; Redis may answer sooner. */
  #growsAfterMs(limit: Limit): number {
    return Math.max(PAUSE_MS, Math.ceil(this.since + countsMs(limit) - this.#now));
  }

  #maxOf(limit: Limit): number {
    const isFirstWindow = this.#now < this.since + countsMs(limit);
    const whole = isFirstWindow ? this.#leftOf(limit) : limit.max;
    return Math.floor((SAFE_PART * whole) / this.#servers);
  }

  #leftOf(limit: Limit): number {
    const { remaining, seenAt, releasedAt } = this.#observed.of(limit);
    if (releasedAt + countsMs(limit) > this.since) return 0;
    const isKnown = seenAt + countsMs(limit) > this.since;
    return isKnown ? Math.min(remaining, limit.max) : limit.max;
  }
}
