// The port to where usage is kept for good. A record is identified by its id and counted once however often
// it is delivered. Sums come from hourly roll-ups, so that they cost the same after ten records and after
// ten million; where a range begins or ends within an hour of few records, these are read one by one, and where there are
// many the hour is taken whole (`covered`). A store that is away rejects; the journal keeps the records.

import type { BudgetReservation } from '../budgets/budget-reservation.ts';
import type { CrossedThreshold } from '../budgets/budget-threshold.ts';
import type { UsageRecord } from './usage-record.ts';

export type UsageRange = {
  /** Absent: every organisation (operators only). */
  readonly organizationId?: string;
  /** Epoch milliseconds. */
  readonly from: number;
  /** Exclusive. */
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

/** What became of reservations besides the records that settle them. */
export type ReservationChanges = {
  /** Not ended yet: kept until they are, or until they expire. */
  readonly opened: readonly BudgetReservation[];
  /** Attempts that have ended, by id: what is kept of their reservations goes. */
  readonly closed: readonly string[];
  /**
   * Have ended, and a statement that asked for them may still come: it is then to find them ended. What is kept of them
   * goes as well.
   */
  readonly voided: readonly BudgetReservation[];
};

export type InsertedUsage = {
  /** How many records were new. */
  readonly stored: number;
  /** Budgets that passed a threshold by it, each told once in its month. */
  readonly crossed: readonly CrossedThreshold[];
};

export type UsageStore = {
  /**
   * Stores what is not stored yet and charges it to the budgets, all or nothing. A record of an attempt that was
   * given up as lost takes the place of the estimate.
   */
  insertBatch(
    records: readonly UsageRecord[],
    reservations?: Partial<ReservationChanges>,
  ): Promise<InsertedUsage>;
  /** The range, widened to whole hours where it would be dear to be exact. Sums are asked for what this gives. */
  covered(range: UsageRange, now: number): Promise<UsageRange>;
  /** Everything in the range as one sum; all zero when there is nothing. */
  total(range: UsageRange): Promise<Omit<UsageSum, 'group'>>;
  /** One sum per group, dearest first; days in their order. */
  sums(range: UsageRange, groupBy: UsageGrouping): Promise<readonly UsageSum[]>;
  /** Single records, newest first. */
  list(page: UsagePage): Promise<readonly UsageRecord[]>;
  /** Forgets at most so many records made before a moment, and says how many; their sums stay. */
  forget(before: number, most: number): Promise<number>;
};
