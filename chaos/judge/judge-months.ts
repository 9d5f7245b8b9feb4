// Checks two months of a budget: each call is charged to the month of its reservation, the new month has its own row,
// and neither exceeds the budget. Pure.

import type { Midnight } from '../faults/midnight.ts';
import type { Call } from '../installation/provider.ts';
import type { StoredMonth } from '../installation/store-view.ts';

export type MonthsFinding = {
  readonly overspendNanos: number;
  readonly shortcomings: readonly string[];
  readonly notes: readonly string[];
};

export type MonthsEvidence = {
  readonly midnight: Midnight;
  /** Calls that cost something. */
  readonly billable: readonly Pick<Call, 'startedAt'>[];
  readonly months: readonly StoredMonth[];
  readonly budgetNanos: number;
  readonly callNanos: number;
};

export function judgeMonths(evidence: MonthsEvidence): MonthsFinding {
  const { midnight, billable, months, budgetNanos, callNanos } = evidence;
  const before = billable.filter(({ startedAt }) => startedAt < midnight.at).length;
  const expected = [
    { month: midnight.oldMonth, postedNanos: before * callNanos },
    { month: midnight.newMonth, postedNanos: (billable.length - before) * callNanos },
  ];
  const found = months.map(({ month, postedNanos }) => ({ month, postedNanos }));
  const isAsExpected = JSON.stringify(found) === JSON.stringify(expected);
  return {
    overspendNanos: Math.max(
      0,
      ...[...expected, ...found].map(({ postedNanos }) => postedNanos - budgetNanos),
    ),
    shortcomings: isAsExpected
      ? []
      : [`the months hold ${describe(expected)} (they hold ${describe(found)})`],
    notes: [
      `${before} calls before midnight and ${billable.length - before} after it, of ${budgetNanos / callNanos} payable in each month`,
    ],
  };
}

function describe(months: readonly Pick<StoredMonth, 'month' | 'postedNanos'>[]): string {
  return months.map(({ month, postedNanos }) => `${month}: ${postedNanos}`).join(', ') || 'nothing';
}
