// The amounts that a batch of usage records posts to budgets, and the thresholds that this crosses. Every record is posted to
// its organisation, key and user, with or without a limit, so that a limit set in mid-month counts the whole month.

import type { AccountName } from '../../../metering/budgets/budget-account.ts';
import type { BudgetScopeKind } from '../../../metering/budgets/budget-ledger.ts';
import type { LOST, UsageRecord } from '../../../metering/usage/usage-record.ts';

export const LOST_STATUS: typeof LOST = 'LOST';

/** In percent of a budget. */
const BUDGET_THRESHOLDS = [50, 80, 90, 100] as const;

export type Posting = AccountName & { nanos: number };

/** A record with its budget month and the amount to post: less than the cost if the record replaces an estimate. */
export type Spending = {
  readonly record: UsageRecord;
  readonly month: number;
  readonly nanos: number;
};

/** Ordered by key, so that two writers lock the same rows in the same order. */
export function postingsOf(spendings: readonly Spending[]): readonly Posting[] {
  const postings = new Map<string, Posting>();
  let last: Spending | undefined;
  let lastPostings: readonly Posting[] = [];
  for (const spending of spendings) {
    // Consecutive records often have the same owners; composing and looking up keys is the most expensive step of this loop.
    if (!last || !haveSameOwners(last, spending)) lastPostings = postingsFor(postings, spending);
    last = spending;
    for (const posting of lastPostings) posting.nanos += spending.nanos;
  }
  return [...postings.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

function haveSameOwners(one: Spending, other: Spending): boolean {
  return (
    one.month === other.month &&
    one.record.organizationId === other.record.organizationId &&
    one.record.keyId === other.record.keyId &&
    one.record.userId === other.record.userId
  );
}

/** The postings to which a record adds; a new posting starts at zero. */
function postingsFor(postings: Map<string, Posting>, { record, month }: Spending): Posting[] {
  const { organizationId, keyId, userId } = record;
  const find = (kind: BudgetScopeKind, scopeId: string): Posting => {
    const key = `${organizationId}\n${month}\n${kind}\n${scopeId}`;
    const known = postings.get(key);
    if (known) return known;
    const made = { organizationId, month, kind, scopeId, nanos: 0 };
    postings.set(key, made);
    return made;
  };
  const found = [find('organization', ''), find('key', keyId)];
  if (userId !== undefined) found.push(find('user', userId));
  return found;
}

/** The thresholds between the posted amounts before and after. */
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
