// The port to the budgets in the store, read only: costs are posted with the usage records (`UsageStore.insertBatch`). An
// unavailable store rejects.

import type { AccountName } from './budget-account.ts';
import type { BudgetReservation } from './budget-reservation.ts';

export type BudgetStanding = { readonly postedNanos: number; readonly reservedNanos: number };

export type RecentSpending = {
  readonly costNanos: number;
  /** The first hour with a cost, if any. */
  readonly firstAt: number | undefined;
};

export type BudgetStore = {
  /** The posted amount of a budget, and the amount that attempts have reserved in the store. */
  standing(account: AccountName): Promise<BudgetStanding>;
  /** Reservations without an end in the store. */
  openReservations(): Promise<readonly BudgetReservation[]>;
  /** The cost since the start of the hour of `since`, across months. */
  spentSince(account: AccountName, since: number): Promise<RecentSpending>;
};
