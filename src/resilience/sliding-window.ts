// The windows of rate limits: what was taken, and until when it counts. A window is exact: an admission counts for the
// whole length of the window from its own moment on, so that no span of that length holds more than the limit, and one
// in which nothing was taken admits all of it at once. The maximum is told with every question, so that a limit that
// is changed holds from the next one on. Times are whole milliseconds of whichever clock the caller has, and pure
// numbers here: nothing waits, nothing is asked of anybody.

import { ExpiringAmounts, untilFreed } from './expiring-amounts.ts';
import type { LimitKind, TakenPermit } from './rate-limiter.ts';

export type Permit = Pick<TakenPermit, 'takenAt' | 'expiresAt'>;

export type LimitWindow = {
  /** The latest moment that was given to one who shall come back. */
  comebackAt: number;
  /** Zero when so much fits now, infinite when it never does. */
  waitMs(cost: number, max: number, now: number): number;
  used(now: number): number;
  /** When the next part of it is free; never where nothing is taken. */
  nextFreeAt(): number;
  take(cost: number, windowMs: number, permit: Permit): void;
  /** As if it had never been taken. */
  giveBack(cost: number, windowMs: number, permit: Permit): void;
  /** The call has ended and used so many tokens. */
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
  comebackAt = Number.NEGATIVE_INFINITY;
  readonly #taken = new ExpiringAmounts('ones');

  waitMs(_cost: number, max: number, now: number): number {
    this.#taken.dropOver(now);
    const { count } = this.#taken;
    if (count + 1 <= max) return 0;
    if (max < 1) return Number.POSITIVE_INFINITY;
    return this.#taken.untilAt(count - Math.floor(max)) - now;
  }

  used(now: number): number {
    this.#taken.dropOver(now);
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

  /** That it has ended changes nothing: it was made. */
  settle(): void {}
}

class TokenWindow implements LimitWindow {
  comebackAt = Number.NEGATIVE_INFINITY;
  readonly #taken = new ExpiringAmounts('any');

  waitMs(cost: number, max: number, now: number): number {
    this.#taken.dropOver(now);
    const over = this.#taken.sum + cost - max;
    if (over <= 0) return 0;
    return cost > max ? Number.POSITIVE_INFINITY : untilFreed(over, this.#taken) - now;
  }

  used(now: number): number {
    this.#taken.dropOver(now);
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

  /** It counts from when it was taken; what ended after its window is over already. */
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
 * What was used is kept in buckets, each of which counts whole until its last moment has left the window. What is
 * reserved stands beside them until it is settled or forgotten.
 */
class DayWindow implements LimitWindow {
  comebackAt = Number.NEGATIVE_INFINITY;
  readonly #buckets = new ExpiringAmounts('any');
  readonly #reserved = new ExpiringAmounts('any');

  waitMs(cost: number, max: number, now: number): number {
    const over = this.used(now) + cost - max;
    if (over <= 0) return 0;
    if (cost > max) return Number.POSITIVE_INFINITY;
    return untilFreed(over, this.#buckets, this.#reserved) - now;
  }

  used(now: number): number {
    this.#buckets.dropOver(now);
    this.#reserved.dropOver(now);
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

/** A slot is free when a call ends, which nobody can foretell: who finds none looks again this much later. */
const SLOT_PATIENCE_MS = 1000;

class SlotWindow implements LimitWindow {
  comebackAt = Number.NEGATIVE_INFINITY;
  readonly #taken = new ExpiringAmounts('ones');

  waitMs(_cost: number, max: number, now: number): number {
    this.#taken.dropOver(now);
    const { count } = this.#taken;
    if (count + 1 <= max) return 0;
    if (max < 1) return Number.POSITIVE_INFINITY;
    return Math.min(SLOT_PATIENCE_MS, this.#taken.untilAt(count - Math.floor(max)) - now);
  }

  used(now: number): number {
    this.#taken.dropOver(now);
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
