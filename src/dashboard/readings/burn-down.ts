// The burn-down of one organisation's month: the cost of each UTC day, their sum so far, and the forecast from
// the rate of the last days. Roll-ups have UTC days, so the first day may include hours of the month before.

import type { Organization } from '../../admission/organization.ts';
import { calendarMonth } from '../../kernel/calendar/calendar-month.ts';
import { nanosToUsd } from '../../kernel/money.ts';
import type { BudgetStatus } from '../../metering/budgets/budget-ledger.ts';
import type { HourSpend } from '../../metering/spend/spend-store.ts';
import type { BurnDown } from '../api/money.ts';
import { nanosPerMs } from './read-money.ts';

const DAY_MS = 86_400_000;

export type BurnDownParts = {
  readonly organization: Organization;
  readonly status: BudgetStatus;
  /** Cost by UTC day of the month. */
  readonly days: readonly HourSpend[];
  readonly recent: { readonly costNanos: number; readonly firstAt: number } | undefined;
  readonly now: number;
};

export function burnDown({ organization, status, days, recent, now }: BurnDownParts): BurnDown {
  const { id: organizationId, name, timeZone } = organization;
  const { startsAt, endsAt } = calendarMonth(now, timeZone);
  const { limitNanos, spentNanos, reservedNanos, forecastExhaustedAt } = status;
  return {
    organizationId,
    name,
    timeZone,
    monthStartsAt: startsAt,
    monthEndsAt: endsAt,
    monthlyBudgetUsd: nanosToUsd(limitNanos),
    spentUsd: nanosToUsd(spentNanos),
    reservedUsd: nanosToUsd(reservedNanos),
    remainingUsd: nanosToUsd(Math.max(0, limitNanos - spentNanos - reservedNanos)),
    days: cumulate(days, startsAt, now),
    forecast: recent
      ? {
          usdPerDay: nanosToUsd(Math.round(nanosPerMs(recent, now) * DAY_MS)),
          monthEndUsd: nanosToUsd(
            Math.round(spentNanos + nanosPerMs(recent, now) * (endsAt - now)),
          ),
          exhaustedAt: forecastExhaustedAt ?? null,
        }
      : null,
  };
}

function cumulate(days: readonly HourSpend[], startsAt: number, now: number): BurnDown['days'] {
  const costs = new Map<number, number>();
  for (const { hourStart, costNanos } of days)
    costs.set(hourStart, (costs.get(hourStart) ?? 0) + costNanos);
  const first = startsAt - (startsAt % DAY_MS);
  let sum = 0;
  return Array.from({ length: Math.floor((now - first) / DAY_MS) + 1 }, (_, day) => {
    const at = first + day * DAY_MS;
    const cost = costs.get(at) ?? 0;
    sum += cost;
    return { at, costUsd: nanosToUsd(cost), cumulativeUsd: nanosToUsd(sum) };
  });
}
