// The port to what the store knows of budgets, for a ledger that decides in the process. Spending is not written here
// but with the usage records (`UsageStore.insertBatch`). A store that is away rejects.

import type { AccountName } from './budget-account.ts';
import type { BudgetReservation } from './budget-reservation.ts';

export type BudgetStanding = { readonly postedNanos: number; readonly reservedNanos: number };

export type RecentSpending = {
  readonly costNanos: number;
  /** The first hour of the range in which anything was spent; undefined when nothing was. */
  readonly firstAt: number | undefined;
};

export type BudgetStore = {
  /** What is spent of a budget, and what is reserved where reservations are rows. */
  standing(account: AccountName): Promise<BudgetStanding>;
  /** Reservations whose attempts have not ended as far as the store knows. */
  openReservations(): Promise<readonly BudgetReservation[]>;
  /** What was spent since a moment, taken back to the beginning of its hour; whatever the month. */
  spentSince(account: AccountName, since: number): Promise<RecentSpending>;
};
