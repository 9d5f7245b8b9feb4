// When will a budget be used up, at the pace of the last days? A guess for people; nothing is decided by it.

import type { RecentSpending } from './budget-store.ts';

/** The days whose pace counts. */
export const PACE_MS = 7 * 86_400_000;
/** Less than this says nothing about a pace. */
const MIN_MS = 3_600_000;

/** Undefined when the month ends first, or nothing was spent of late. */
export function forecastExhaustedAt(
  remainingNanos: number,
  recent: RecentSpending,
  now: number,
  resetAt: number,
): number | undefined {
  if (remainingNanos <= 0) return now;
  if (recent.firstAt === undefined || recent.costNanos <= 0) return undefined;
  const nanosPerMs = recent.costNanos / Math.max(MIN_MS, now - recent.firstAt);
  const exhaustedAt = Math.round(now + remainingNanos / nanosPerMs);
  return exhaustedAt < resetAt ? exhaustedAt : undefined;
}
