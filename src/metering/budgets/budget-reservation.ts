// The reservation of one attempt. It is durable before the attempt is sent and has every field that another process needs to
// settle it: a reservation without an end is charged in full, as an estimate.

import { RecordLayout } from '../../kernel/record-layout.ts';
import { addReservationFields, RESERVATION_FIELDS } from '../../kernel/stored-fields.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import { LOST, type UsageRecord } from '../usage/usage-record.ts';
import type { AccountName } from './budget-account.ts';
import type { ReservationRequest, ReservedAttempt } from './budget-ledger.ts';

export type BudgetReservation = ReservedAttempt & {
  readonly amountNanos: number;
  /** Whether it also counts against the key's and the user's budget; it always counts against the organisation's. */
  readonly reservesKey: boolean;
  readonly reservesUser: boolean;
  readonly month: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
};

export function newReservation(
  { attempt, owner, worstNanos, expiresAt }: ReservationRequest,
  month: number,
): BudgetReservation {
  return {
    id: attempt.id,
    requestId: attempt.requestId,
    attempt: attempt.attempt,
    organizationId: attempt.organizationId,
    keyId: attempt.keyId,
    userId: attempt.userId,
    category: attempt.category,
    provider: attempt.provider,
    model: attempt.model,
    streamed: attempt.streamed,
    amountNanos: worstNanos,
    reservesKey: owner.keyLimitNanos !== undefined,
    reservesUser: owner.userLimitNanos !== undefined && attempt.userId !== undefined,
    month,
    expiresAt,
  };
}

/** The budgets that the reservation counts against. */
export function accountsOf(reservation: BudgetReservation): readonly AccountName[] {
  const { organizationId, month, keyId, userId } = reservation;
  const accounts: AccountName[] = [{ organizationId, kind: 'organization', scopeId: '', month }];
  if (reservation.reservesKey)
    accounts.push({ organizationId, kind: 'key', scopeId: keyId, month });
  if (reservation.reservesUser && userId !== undefined)
    accounts.push({ organizationId, kind: 'user', scopeId: userId, month });
  return accounts;
}

/** The record of an attempt without a reported end: the estimated cost is the whole reservation. */
export function lostRecord(reservation: BudgetReservation, at: number): UsageRecord {
  return {
    ...NO_USAGE,
    id: reservation.id,
    requestId: reservation.requestId,
    attempt: reservation.attempt,
    organizationId: reservation.organizationId,
    keyId: reservation.keyId,
    userId: reservation.userId,
    category: reservation.category,
    provider: reservation.provider,
    model: reservation.model,
    streamed: reservation.streamed,
    costNanos: reservation.amountNanos,
    latencyMs: 0,
    status: LOST,
    estimated: true,
    createdAt: at,
    budgetMonth: reservation.month,
  };
}

export const RESERVATION_LAYOUT = new RecordLayout<BudgetReservation>(
  RESERVATION_FIELDS,
  addReservationFields,
);
