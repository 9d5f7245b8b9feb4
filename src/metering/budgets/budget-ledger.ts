// The port to budgets. The ledger reserves the maximum cost of an attempt before it is sent; the usage record settles the
// reservation. Posted and reserved amounts together never exceed a limit, on any number of servers. The reservation of a
// process that died is settled as an estimate when it expires: every sent attempt is counted and no money stays blocked.
// Months follow the organisation's time zone.

import type { UsageRecord } from '../usage/usage-record.ts';

export type BudgetScopeKind = 'organization' | 'key' | 'user';

/** The payers of a key's requests and their monthly limits. Created once per key, then only read. */
export type BudgetOwner = {
  readonly organizationId: string;
  readonly keyId: string;
  readonly timeZone: string;
  readonly organizationLimitNanos: number;
  readonly keyLimitNanos: number | undefined;
  /** The limit of each single user of the organisation. */
  readonly userLimitNanos: number | undefined;
};

/** The fields of an attempt that its usage record will repeat. */
export type ReservedAttempt = Pick<
  UsageRecord,
  | 'id'
  | 'requestId'
  | 'attempt'
  | 'organizationId'
  | 'keyId'
  | 'userId'
  | 'category'
  | 'provider'
  | 'model'
  | 'streamed'
>;

export type ReservationRequest = {
  readonly attempt: ReservedAttempt;
  readonly owner: BudgetOwner;
  /** The maximum cost of the attempt. */
  readonly worstNanos: number;
  /** When a reservation without an end is settled as an estimate, epoch milliseconds. */
  readonly expiresAt: number;
  /** How long the request may wait for other reservations to end, if it fits the unspent amount but not the unreserved. */
  readonly patienceMs: number;
};

export type BudgetDecision =
  /** The attempt's usage record repeats the month (`budgetMonth`). */
  | { readonly kind: 'reserved'; readonly month: number }
  | {
      readonly kind: 'exceeded';
      readonly scope: BudgetScopeKind;
      readonly limitNanos: number;
      readonly spentNanos: number;
      /** The start of the next month. */
      readonly resetAt: number;
    }
  /** The store is unavailable and this server has no allotment left. */
  | { readonly kind: 'unavailable' };

export type BudgetStatus = {
  readonly limitNanos: number;
  readonly spentNanos: number;
  readonly reservedNanos: number;
  readonly resetAt: number;
  /** At the spending rate of the last days; undefined if the month ends first. */
  readonly forecastExhaustedAt: number | undefined;
};

export type BudgetLedger = {
  /**
   * Calls back once, synchronously if it can. `reserved` means that the reservation survives this process. The returned
   * function withdraws a request that is not decided: there is no callback then and no reservation.
   */
  reserve(request: ReservationRequest, onDecision: (decision: BudgetDecision) => void): () => void;
  /** The attempt was never sent: ends its reservation. */
  release(attempt: ReservedAttempt): void;
  /** The attempt's usage record is in the journal: posts the cost and ends the reservation. */
  settle(record: UsageRecord): void;
  /** Undefined if the owner has no such budget. */
  status(
    owner: BudgetOwner,
    scope: BudgetScopeKind,
    userId?: string,
  ): Promise<BudgetStatus | undefined>;
  close(): Promise<void>;
};
