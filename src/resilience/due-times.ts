// The due times of jobs that a limit refuses. Each is the later of the time its slot opens and one interval after the
// previous due time, so that jobs return at the rate the limit can serve and not all at the same time. The limit that
// refuses a job gives it the due time; other limits are untouched. While due times are outstanding a job without one
// queues behind them, even when a slot is free because a scheduled job is a little late. When no scheduled job has asked
// for a while (the jobs were cancelled, or their messages purged) the schedule expires.
//
// adapters/redis/rate-limits/rate-limit-script.ts does the same in Lua.

import type { Limit } from './rate-limiter.ts';

/** A slot of a concurrency limit opens when a call ends; the guess is that all of them do within a second. */
const SLOT_ROUND_MS = 1000;

/**
 * A slot is taken a little after it opens. Due times at the full rate would run ahead of the slots by that much in
 * every window, so an interval is longer by this part of the window.
 */
export const REUSE_PART = 0.005;
export const MAX_REUSE_MS = 50;

/** A schedule expires when none of its jobs has asked for this long plus this many intervals. */
export const MISSED_MS = 5000;
export const MISSED_INTERVALS = 20;

/** The distance between two due times of jobs with this cost. */
export function intervalMs({ kind, windowMs, max }: Limit, cost = 1): number {
  if (kind === 'concurrent') return SLOT_ROUND_MS / max;
  return ((windowMs + Math.min(windowMs * REUSE_PART, MAX_REUSE_MS)) * cost) / max;
}

export class DueTimes {
  #lastAt = Number.NEGATIVE_INFINITY;
  #expiresAt = Number.NEGATIVE_INFINITY;

  isOver(now: number): boolean {
    return this.#lastAt <= now || this.#expiresAt <= now;
  }

  /** How long a job without a due time waits behind scheduled jobs. */
  waitMs(now: number, interval: number): number {
    return this.isOver(now) ? 0 : this.#lastAt + interval - now;
  }

  /** The next due time, in whole milliseconds, for a job whose slot opens at `freeAt`. */
  assign(freeAt: number, now: number, interval: number): number {
    if (this.#expiresAt <= now) this.#lastAt = Number.NEGATIVE_INFINITY;
    // Fractions of a millisecond are rounding, not a gap.
    const isAfterGap = freeAt > this.#lastAt + interval + 0.5;
    this.#lastAt = Math.max(freeAt, this.#lastAt + interval);
    if (isAfterGap) this.#expiresAt = Math.max(this.#expiresAt, freeAt + patienceMs(interval));
    return Math.ceil(this.#lastAt);
  }

  /** Called when a job has asked at its due time. */
  keepAlive(now: number, interval: number): void {
    if (this.#expiresAt > now)
      this.#expiresAt = Math.max(this.#expiresAt, now + patienceMs(interval));
  }
}

function patienceMs(interval: number): number {
  return MISSED_MS + MISSED_INTERVALS * interval;
}
