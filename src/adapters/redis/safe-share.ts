// Decisions of a server that cannot ask Redis. With N servers last known alive it admits, over each window, 0.8 of a
// limit divided by N. What was admitted just before still counts: so during the first window it may add to its own
// admissions only its share of what was left when a limit was last seen. Background work is not decided here at all:
// it pauses. Time is an estimate of that of Redis, never behind it.

import type { Limit, PermitAsk, PermitDecision } from '../../admission/rate-limiter.ts';
import { LimitBook } from '../../resilience/limit-book.ts';
import { countsMs, type LimitPlace, type LimitPlaces } from './limit-places.ts';
import type { Admission } from './own-admissions.ts';
import { SAFE_PART } from './rate-limit-script.ts';

const PAUSE_MS = 1000;

export class SafeShare {
  readonly #places: LimitPlaces;
  readonly #servers: number;
  readonly #since: number;
  readonly #book = new LimitBook<Limit>((limit) => this.#maxOf(limit));
  /** Its own admissions when it was left alone. */
  readonly #own = new Map<LimitPlace, number>();
  #now: number;

  constructor(places: LimitPlaces, servers: number, own: Iterable<Admission>, now: number) {
    this.#places = places;
    this.#servers = Math.max(1, servers);
    this.#since = now;
    this.#now = now;
    for (const admission of own) this.#remember(admission);
  }

  take(ask: PermitAsk, now: number): PermitDecision {
    if (ask.isBackground) return pause(ask);
    this.#now = now;
    return this.#book.take(ask, { monotonic: now, wall: now });
  }

  /** Redis admitted it after all. */
  record(ask: PermitAsk, takenAt: number): void {
    this.#book.record(ask, takenAt);
  }

  giveBack(ask: PermitAsk): void {
    this.#book.giveBack(ask);
  }

  settle(ask: PermitAsk, usedTokens: number): void {
    this.#book.settle(ask, usedTokens);
  }

  look(limits: readonly Limit[], now: number) {
    this.#now = now;
    return this.#book.look(limits, { monotonic: now, wall: now });
  }

  #maxOf(limit: Limit): number {
    const share = (whole: number) => Math.floor((SAFE_PART * whole) / this.#servers);
    if (this.#now >= this.#since + countsMs(limit)) return share(limit.max);
    const place = this.#places.of(limit);
    const isKnown = place.seenAt + countsMs(limit) > this.#since;
    const left = isKnown ? Math.max(0, limit.max - place.used) : limit.max;
    return Math.min(limit.max, (this.#own.get(place) ?? 0) + share(left));
  }

  #remember({ ask, takenAt, usedTokens }: Admission): void {
    this.#book.record(ask, takenAt);
    if (usedTokens !== undefined) this.#book.settle(ask, usedTokens);
    for (const limit of ask.limits) {
      const place = this.#places.of(limit);
      const amount = amountOf(limit, usedTokens, ask.tokens);
      this.#own.set(place, (this.#own.get(place) ?? 0) + amount);
    }
  }
}

function amountOf({ kind }: Limit, usedTokens: number | undefined, reserved: number): number {
  if (kind === 'requests') return 1;
  if (kind === 'concurrent') return usedTokens === undefined ? 1 : 0;
  return usedTokens ?? reserved;
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
