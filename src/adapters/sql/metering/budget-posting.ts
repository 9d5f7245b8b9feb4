// What a batch of usage records adds to which budgets, and which thresholds that passes. Pure. Every record counts
// against its organisation, its key and its user, whether or not they have a limit, so that a limit that is set in
// the middle of a month knows what the month has cost.

import type { AccountName } from '../../../metering/budgets/budget-account.ts';
import type { BudgetScopeKind } from '../../../metering/budgets/budget-ledger.ts';
import type { LOST, UsageRecord } from '../../../metering/usage/usage-record.ts';

export const LOST_STATUS: typeof LOST = 'LOST';

/** In percent of a budget. */
export const BUDGET_THRESHOLDS = [50, 80, 90, 100] as const;

export type Posting = AccountName & { nanos: number };

/** A record with the month it counts against, and what it adds: less than its cost where an estimate was in its place. */
export type Spending = {
  readonly record: UsageRecord;
  readonly month: number;
  readonly nanos: number;
};

/** In the order of their keys: two writers that lock the same rows then lock them in the same order. */
export function postingsOf(spendings: readonly Spending[]): readonly Posting[] {
  const postings = new Map<string, Posting>();
  for (const { record, month, nanos } of spendings) {
    const { organizationId, keyId, userId } = record;
    const add = (kind: BudgetScopeKind, scopeId: string): void => {
      const key = `${organizationId}\n${month}\n${kind}\n${scopeId}`;
      const known = postings.get(key);
      if (known) known.nanos += nanos;
      else postings.set(key, { organizationId, month, kind, scopeId, nanos });
    };
    add('organization', '');
    add('key', keyId);
    if (userId !== undefined) add('user', userId);
  }
  return [...postings.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** The thresholds between what was spent and what is spent now. */
export function passedThresholds(
  limitNanos: number,
  beforeNanos: number,
  afterNanos: number,
): readonly number[] {
  if (limitNanos <= 0) return [];
  return BUDGET_THRESHOLDS.filter((percent) => {
    const threshold = (limitNanos / 100) * percent;
    return beforeNanos < threshold && afterNanos >= threshold;
  });
}
