// The port to budgets that several servers share: the store decides. An unavailable store rejects, and it is then unknown
// whether the statement has been or will be carried out.

import type { AccountName } from './budget-account.ts';
import type { BudgetScopeKind } from './budget-ledger.ts';
import type { BudgetReservation } from './budget-reservation.ts';
import type { BudgetStore } from './budget-store.ts';
import type { CrossedThreshold } from './budget-threshold.ts';

export type ReservationRefusal = {
  readonly id: string;
  /** `exceeded`: above what is unspent. `short`: above what is unreserved, or behind a request that is. */
  readonly answer: 'exceeded' | 'short';
  readonly scope: BudgetScopeKind;
  readonly limitNanos: number;
  readonly spentNanos: number;
};

/**
 * `working`: pays attempts at any time; sized by demand; if it expires, it is charged in full as an estimate.
 * `standby`: pays attempts only while the store is unavailable; small; if it expires, it is released.
 */
export type AllotmentPurpose = 'working' | 'standby';

export type AllotmentRequest = {
  readonly id: string;
  readonly account: AccountName;
  readonly purpose: AllotmentPurpose;
  /** The amount that the server has left or has paid without the store's knowledge; the store grants at least this. */
  readonly floorNanos: number;
  /** The demand, for a working allotment; the store sizes standby allotments by the budget's limit. */
  readonly wantedNanos: number;
  readonly expiresAt: number;
};

export type AllotmentGrant = {
  readonly id: string;
  readonly amountNanos: number;
  /** Requests of the organisation were recently refused as short: the server gives back the amount it has left. */
  readonly isShort: boolean;
};

export type SharedBudgetStore = Pick<BudgetStore, 'standing' | 'spentSince'> & {
  /** Reserves what fits, in order, each all or nothing, and returns the refusals. */
  reserveAll(
    reservations: readonly BudgetReservation[],
    now: number,
  ): Promise<readonly ReservationRefusal[]>;
  /**
   * Resizes the requested allotments of a server and releases its others. A call changes and grants nothing after a call
   * with a higher version.
   */
  renewAllotments(
    serverId: string,
    requests: readonly AllotmentRequest[],
    version: number,
    now: number,
  ): Promise<readonly AllotmentGrant[]>;
  /** Settles expired reservations and allotments, at most `max` of each; returns the thresholds that this passed. */
  settleExpired(
    now: number,
    standbyExpiredBy: number,
    max: number,
  ): Promise<readonly CrossedThreshold[]>;
};
