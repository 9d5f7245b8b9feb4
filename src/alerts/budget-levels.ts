// The port to the thresholds that monthly budgets have crossed. The store records each once per budget and month, in the
// transaction that posts the cost. An unavailable store rejects.

import type { BudgetOfAlert } from './alert.ts';

export type CrossedLevel = BudgetOfAlert & {
  readonly createdAt: number;
  readonly spentNanos: number;
  /** Undefined if the budget's limit was removed. */
  readonly limitNanos: number | undefined;
};

export type BudgetStandingNow = {
  readonly budget: BudgetOfAlert;
  readonly spentNanos: number;
  readonly limitNanos: number | undefined;
  readonly timeZone: string;
};

export type BudgetLevels = {
  /** Thresholds that were crossed at `since` or later, oldest first. */
  crossedSince(since: number, limit: number): Promise<readonly CrossedLevel[]>;
  /** The present standing of these budgets; a budget of a deleted organisation is left out. */
  standings(budgets: readonly BudgetOfAlert[]): Promise<readonly BudgetStandingNow[]>;
};
