// The port to budgets that several servers share: the store decides. A store that is away rejects, and then it is not
// known whether what was asked has happened.

import type { AccountName } from './budget-account.ts';
import type { BudgetScopeKind } from './budget-ledger.ts';
import type { BudgetReservation } from './budget-reservation.ts';
import type { BudgetStore } from './budget-store.ts';
import type { CrossedThreshold } from './budget-threshold.ts';

/** `exceeded` does not fit what is unspent; `short` fits that but not what is unreserved, or stands behind one that is. */
export type ReservationRefusal = {
  /** Which of those asked, from 0. */
  readonly place: number;
  readonly answer: 'exceeded' | 'short';
  readonly scope: BudgetScopeKind;
  readonly limitNanos: number;
  readonly spentNanos: number;
};

/** Money set aside for one server, to be spent only while the store is away. Counts as reserved. */
export type Reserve = AccountName & { readonly amountNanos: number };

export type SharedBudgetStore = Pick<BudgetStore, 'standing' | 'spentSince'> & {
  /** Reservations what fits, in the order asked, each all or nothing; gives those that are not reserved. */
  reserveAll(
    reservations: readonly BudgetReservation[],
    now: number,
  ): Promise<readonly ReservationRefusal[]>;
  /** Settles at most so many expired reservations as lost; gives the thresholds that this passed. */
  loseExpired(now: number, most: number): Promise<readonly CrossedThreshold[]>;
  /**
   * A server's reserves become those of these accounts, each a small part of what is unreserved, and nothing where
   * somebody was short of late. What is left out is given back.
   */
  renewReserves(
    serverId: string,
    accounts: readonly AccountName[],
    now: number,
    until: number,
  ): Promise<readonly Reserve[]>;
  /** Gives back what servers that are gone had set aside. */
  expireReserves(now: number): Promise<void>;
};
