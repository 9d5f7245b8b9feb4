// The windows of rate limits: admissions, and when each stops counting. A window is exact: an admission counts for the
// whole length of the window from its own timestamp on, so that no span of that length holds more than the limit, and
// an empty window admits all of it at once. The maximum comes with every call, so that a changed limit holds from the
// next ask on. Times are whole milliseconds of the caller's clock. Pure: no clock, no timer, no I/O.

import type { DueTimes } from './due-times.ts';
import { ExpiringAmounts, untilFreed } from './expiring-amounts.ts';
import type { LimitKind, TakenPermit } from './rate-limiter.ts';

export type Permit = Pick<TakenPermit, 'takenAt' | 'expiresAt'>;

export type LimitWindow = {
  /** The due times of jobs that this window refused; absent until there is one. */
  dueTimes: DueTimes | undefined;
  /** Zero when `cost` fits now, infinite when it exceeds `max`. */
  waitMs(cost: number, max: number, now: number): number;
  used(now: number): number;
  /** When the oldest admission stops counting; infinite for an empty window. */
  nextFreeAt(): number;
  take(cost: number, windowMs: number, permit: Permit): void;
  /** Undoes `take`. */
  giveBack(cost: number, windowMs: number, permit: Permit): void;
  /** The call has ended and used this many tokens. */
  settle(cost: number, usedTokens: number, windowMs: number, permit: Permit): void;
};

const WINDOW_OF: Record<LimitKind, () => LimitWindow> = {
  requests: () => new RequestWindow(),
  tokens: () => new TokenWindow(),
  tokens_per_day: () => new DayWindow(),
  concurrent: () => new SlotWindow(),
};

export function createWindow(kind: LimitKind): LimitWindow {
  return WINDOW_OF[kind]();
}

class RequestWindow implements LimitWindow {
  dueTimes: DueTimes | undefined = undefined;
  readonly #taken = new ExpiringAmounts('ones');

  waitMs(_cost: number, max: number, now: number): number {
    this.#taken.dropExpired(now);
    const { count } = this.#taken;
    if (count + 1 <= max) return 0;
    if (max < 1) return Number.POSITIVE_INFINITY;
    return this.#taken.untilAt(count - Math.floor(max)) - now;
  }

  used(now: number): number {
    this.#taken.dropExpired(now);
    return this.#taken.count;
  }

  nextFreeAt(): number {
    return this.#taken.untilAt(0);
  }

  take(_cost: number, windowMs: number, { takenAt }: Permit): void {
    this.#taken.add(takenAt + windowMs, 1);
  }

  giveBack(_cost: number, windowMs: number, { takenAt }: Permit): void {
    this.#taken.remove(takenAt + windowMs, 1);
  }

  /** A request counts for the whole window, even after it has ended. */
  settle(): void {}
}

class TokenWindow implements LimitWindow {
  dueTimes: DueTimes | undefined = undefined;
  readonly #taken = new ExpiringAmounts('any');

  waitMs(cost: number, max: number, now: number): number {
    this.#taken.dropExpired(now);
    const over = this.#taken.sum + cost - max;
    if (over <= 0) return 0;
    return cost > max ? Number.POSITIVE_INFINITY : untilFreed(over, this.#taken) - now;
  }

  used(now: number): number {
    this.#taken.dropExpired(now);
    return this.#taken.sum;
  }

  nextFreeAt(): number {
    return this.#taken.untilAt(0);
  }

  take(cost: number, windowMs: number, { takenAt }: Permit): void {
    if (cost > 0) this.#taken.add(takenAt + windowMs, cost);
  }

  giveBack(cost: number, windowMs: number, { takenAt }: Permit): void {
    this.#taken.remove(takenAt + windowMs, cost);
  }

  /** The tokens used count from the time of the admission; an admission whose window has passed counts no tokens. */
  settle(cost: number, usedTokens: number, windowMs: number, { takenAt }: Permit): void {
    const until = takenAt + windowMs;
    if (usedTokens === 0) this.#taken.remove(until, cost);
    else if (cost === 0) this.#taken.add(until, usedTokens);
    else this.#taken.replace(until, cost, usedTokens);
  }
}

/** Five minutes of a day. */
const BUCKETS_PER_WINDOW = 288;

/**
 * Used tokens are kept in buckets, each of which counts whole until its end has left the window. Reservations are kept
 * beside the buckets until they are settled or expire.
 */
class DayWindow implements LimitWindow {
  dueTimes: DueTimes | undefined = undefined;
  readonly #buckets = new ExpiringAmounts('any');
  readonly #reserved = new ExpiringAmounts('any');

  waitMs(cost: number, max: number, now: number): number {
    const over = this.used(now) + cost - max;
    if (over <= 0) return 0;
    if (cost > max) return Number.POSITIVE_INFINITY;
    return untilFreed(over, this.#buckets, this.#reserved) - now;
  }

  used(now: number): number {
    this.#buckets.dropExpired(now);
    this.#reserved.dropExpired(now);
    return this.#buckets.sum + this.#reserved.sum;
  }

  nextFreeAt(): number {
    return Math.min(this.#buckets.untilAt(0), this.#reserved.untilAt(0));
  }

  take(cost: number, _windowMs: number, { expiresAt }: Permit): void {
    if (cost > 0) this.#reserved.add(expiresAt, cost);
  }

  giveBack(cost: number, _windowMs: number, { expiresAt }: Permit): void {
    this.#reserved.remove(expiresAt, cost);
  }

  settle(cost: number, usedTokens: number, windowMs: number, permit: Permit): void {
    this.giveBack(cost, windowMs, permit);
    if (usedTokens === 0) return;
    const bucketMs = Math.ceil(windowMs / BUCKETS_PER_WINDOW);
    const bucketEnd = (Math.floor(permit.takenAt / bucketMs) + 1) * bucketMs;
    this.#buckets.addTo(bucketEnd + windowMs, usedTokens);
  }
}

/** A slot opens when a call ends, at an unknown time: a refused ask may retry after this long. */
const SLOT_RETRY_MS = 1000;

class SlotWindow implements LimitWindow {
  dueTimes: DueTimes | undefined = undefined;
  readonly #taken = new ExpiringAmounts('ones');

  waitMs(_cost: number, max: number, now: number): number {
    this.#taken.dropExpired(now);
    const { count } = this.#taken;
    if (count + 1 <= max) return 0;
    if (max < 1) return Number.POSITIVE_INFINITY;
    return Math.min(SLOT_RETRY_MS, this.#taken.untilAt(count - Math.floor(max)) - now);
  }

  used(now: number): number {
    this.#taken.dropExpired(now);
    return this.#taken.count;
  }

  nextFreeAt(): number {
    return this.#taken.untilAt(0);
  }

  take(_cost: number, _windowMs: number, { expiresAt }: Permit): void {
    this.#taken.add(expiresAt, 1);
  }

  giveBack(_cost: number, _windowMs: number, { expiresAt }: Permit): void {
    this.#taken.remove(expiresAt, 1);
  }

  settle(cost: number, _usedTokens: number, windowMs: number, permit: Permit): void {
    this.giveBack(cost, windowMs, permit);
  }
}
