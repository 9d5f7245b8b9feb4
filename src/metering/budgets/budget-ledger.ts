// The port to budgets. Before a call is sent the most it can cost is reserved; its usage record settles the reservation. What is
// spent and reserved together never passes a limit, however many servers ask. A reservation whose process died is settled at its
// expiry, as an estimate: nothing sent goes uncounted and nothing stays blocked. The month is the organisation's own;
// a new month is a new row.

import type { UsageRecord } from '../usage/usage-record.ts';

export type BudgetScopeKind = 'organization' | 'key' | 'user';

/** Who pays, and what each of them may spend in a month. Prepared once per key, then only read. */
export type BudgetOwner = {
  readonly organizationId: string;
  readonly keyId: string;
  readonly timeZone: string;
  readonly organizationLimitNanos: number;
  readonly keyLimitNanos: number | undefined;
  /** What each single user of the organisation may spend. */
  readonly userLimitNanos: number | undefined;
};

/** The attempt that is about to be made: what its usage record will say of it. */
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
  /** The most it can cost. */
  readonly worstNanos: number;
  /** When a silent holder is given up, epoch milliseconds. */
  readonly expiresAt: number;
  /** How long it may wait for others to settle, when it fits what is unspent but not what is unreserved. */
  readonly patienceMs: number;
};

export type BudgetDecision =
  /** Its usage record takes the month along (`budgetMonth`). */
  | { readonly kind: 'reserved'; readonly month: number }
  | {
      readonly kind: 'exceeded';
      readonly scope: BudgetScopeKind;
      readonly limitNanos: number;
      readonly spentNanos: number;
      /** When the next month begins. */
      readonly resetAt: number;
    }
  /** The store is away and nothing was set aside for that. */
  | { readonly kind: 'unavailable' };

export type BudgetStatus = {
  readonly limitNanos: number;
  readonly spentNanos: number;
  readonly reservedNanos: number;
  readonly resetAt: number;
  /** At the pace of late; absent when the month ends first. */
  readonly forecastExhaustedAt: number | undefined;
};

export type BudgetLedger = {
  /**
   * Calls back once, at once where it can. `reserved` means that the reservation survives this process. The returned function
   * withdraws an ask that has not been decided; then nothing is called and nothing stays reserved.
   */
  reserve(ask: ReservationRequest, onDecision: (decision: BudgetDecision) => void): () => void;
  /** The attempt was never sent: what was reserved for it is free. */
  release(attempt: ReservedAttempt): void;
  /** The attempt's usage record is in the journal: what it cost takes the place of what was reserved. */
  settle(record: UsageRecord): void;
  /** Undefined when the owner has no such budget. */
  status(
    owner: BudgetOwner,
    scope: BudgetScopeKind,
    userId?: string,
  ): Promise<BudgetStatus | undefined>;
  close(): Promise<void>;
};
