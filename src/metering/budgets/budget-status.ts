// The status of a budget as `GET /v1/budget` reports it, with a forecast of when it will be exhausted at the spending rate of
// the last days. The forecast informs people; no decision depends on it.

import type { CalendarMonth } from '../../kernel/calendar/calendar-month.ts';
import type { Budget } from './budget-charges.ts';
import type { BudgetStatus } from './budget-ledger.ts';
import type { BudgetStanding, BudgetStore, RecentSpending } from './budget-store.ts';

const RATE_SPAN_MS = 7 * 86_400_000;
/** The spending of a shorter time says nothing about a rate. */
const MIN_SPAN_MS = 3_600_000;

export async function budgetStatus(
  store: Pick<BudgetStore, 'spentSince'>,
  { account, limitNanos }: Budget,
  { postedNanos, reservedNanos }: BudgetStanding,
  { endsAt }: CalendarMonth,
  now: number,
): Promise<BudgetStatus> {
  const recent = await store.spentSince(account, now - RATE_SPAN_MS);
  return {
    limitNanos,
    spentNanos: postedNanos,
    reservedNanos,
    resetAt: endsAt,
    forecastExhaustedAt: exhaustedAt(limitNanos - postedNanos, recent, now, endsAt),
  };
}

/** Undefined if the month ends first or nothing was spent. */
function exhaustedAt(
  remainingNanos: number,
  { costNanos, firstAt }: RecentSpending,
  now: number,
  resetAt: number,
): number | undefined {
  if (remainingNanos <= 0) return now;
  if (firstAt === undefined || costNanos <= 0) return undefined;
  const nanosPerMs = costNanos / Math.max(MIN_SPAN_MS, now - firstAt);
  const at = Math.round(now + remainingNanos / nanosPerMs);
  return at < resetAt ? at : undefined;
}
