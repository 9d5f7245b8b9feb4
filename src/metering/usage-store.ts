// The port to where usage is kept for good. A record is identified by its id and counted once however often
// it is delivered. Sums come from hourly roll-ups, so that they cost the same after ten records and after
// ten million: a range is taken in whole hours. A store that is away rejects; the journal keeps the records.

import type { UsageRecord } from './usage-record.ts';

export type UsageRange = {
  /** Absent: every organisation (operators only). */
  readonly organizationId?: string;
  /** Epoch milliseconds, taken back to the beginning of its hour. */
  readonly from: number;
  /** Exclusive; taken on to the end of its hour. */
  readonly to: number;
};

export const USAGE_GROUPINGS = ['model', 'provider', 'user', 'category', 'key', 'day'] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

export type UsageSum = {
  /** The model, provider, user, category or key; '' where a record has none. For days, the day's first moment in UTC. */
  readonly group: string | number;
  readonly attempts: number;
  /** Attempts that neither succeeded nor were given up by their caller. */
  readonly failures: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  /** Written to caches of either lifetime. */
  readonly cacheWriteTokens: number;
  readonly costNanos: number;
};

export type UsagePage = UsageRange & {
  readonly organizationId: string;
  readonly limit: number;
  /** The last record of the page before. */
  readonly before?: { readonly createdAt: number; readonly id: string };
};

export type UsageStore = {
  /** Stores what is not stored yet, all or nothing, and says how many that were. */
  insertBatch(records: readonly UsageRecord[]): Promise<number>;
  /** Everything in the range as one sum; all zero when there is nothing. */
  total(range: UsageRange): Promise<Omit<UsageSum, 'group'>>;
  /** One sum per group, dearest first; days in their order. */
  sums(range: UsageRange, groupBy: UsageGrouping): Promise<readonly UsageSum[]>;
  /** Single records, newest first. */
  list(page: UsagePage): Promise<readonly UsageRecord[]>;
};
