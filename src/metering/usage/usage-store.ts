// The port to stored usage. A record is identified by its id and counted once however often it is delivered. Sums come from
// hourly roll-ups, so that their cost does not grow with the number of records. A range that begins or ends within an hour
// reads the single records of that hour if they are few, and otherwise is widened to the whole hour (`covered`). An
// unavailable store rejects; the journal keeps the records.

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

/** Callers choose the names of users and categories, so their number has no other bound. */
export const MAX_USAGE_GROUPS = 1000;

export type UsageSum = {
  /** The model, provider, user, category or key; '' for records without one. For days, the start of the day in UTC. */
  readonly group: string | number;
  readonly attempts: number;
  /** Attempts that neither succeeded nor were cancelled by their caller. */
  readonly failures: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  /** Both cache lifetimes. */
  readonly cacheWriteTokens: number;
  readonly costNanos: number;
};

export type UsagePage = UsageRange & {
  readonly organizationId: string;
  readonly limit: number;
  /** The last record of the previous page. */
  readonly before?: { readonly createdAt: number; readonly id: string };
};

/** Changes of reservations other than their settlement by a usage record. */
export type ReservationChanges = {
  /** Reservations of attempts that have not ended: stored until their end or expiry. */
  readonly opened: readonly BudgetReservation[];
  /** Ids of attempts and allotments that have ended: their reservations are deleted. */
  readonly closed: readonly string[];
  /** Ended reservations: the store ignores a reservation statement for them that arrives later. */
  readonly voided: readonly BudgetReservation[];
};

export type InsertedUsage = {
  /** The number of new records. */
  readonly stored: number;
  /** Budget thresholds that the batch crossed, each reported once a month. */
  readonly crossed: readonly CrossedThreshold[];
};

export type UsageStore = {
  /**
   * Stores new records and posts their costs to the budgets, all or nothing. The record of an attempt that was settled as an
   * estimate replaces the estimate.
   */
  insertBatch(
    records: readonly UsageRecord[],
    reservations?: Partial<ReservationChanges>,
  ): Promise<InsertedUsage>;
  /** The range, widened to whole hours where single records would be too many to read. Callers ask for sums of the result. */
  covered(range: UsageRange, now: number): Promise<UsageRange>;
  /** One sum of the whole range; all zero if it has no records. */
  total(range: UsageRange): Promise<Omit<UsageSum, 'group'>>;
  /** One sum per group: the `maxGroups` most expensive groups by descending cost, or every day in ascending order. */
  sums(range: UsageRange, groupBy: UsageGrouping, maxGroups: number): Promise<readonly UsageSum[]>;
  /** Single records, newest first. */
  list(page: UsagePage): Promise<readonly UsageRecord[]>;
  /** Deletes at most `most` records created before a timestamp and returns their number; roll-ups stay. */
  forget(before: number, most: number): Promise<number>;
};
