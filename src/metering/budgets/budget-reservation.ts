// What is reserved for one attempt, as it is written down before the attempt is made: enough to settle it without the
// process that made it. The line is a JSON array, told from a usage record's by the word it begins with (which
// whoever decodes has read). Decoding trusts nothing: what is not a reservation is `undefined`.

import { NO_USAGE } from '../../kernel/usage.ts';
import { LOST, type UsageRecord } from '../usage/usage-record.ts';
import type { AccountName } from './budget-account.ts';
import type { ReservationRequest, ReservedAttempt } from './budget-ledger.ts';

export type BudgetReservation = ReservedAttempt & {
  readonly amountNanos: number;
  /** Whether the key's own budget and the user's are reserved too; the organisation's always is. */
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

/** The budgets it is reserved from. */
export function accountsOf(reservation: BudgetReservation): readonly AccountName[] {
  const { organizationId, month, keyId, userId } = reservation;
  const accounts: AccountName[] = [{ organizationId, kind: 'organization', scopeId: '', month }];
  if (reservation.reservesKey)
    accounts.push({ organizationId, kind: 'key', scopeId: keyId, month });
  if (reservation.reservesUser && userId !== undefined)
    accounts.push({ organizationId, kind: 'user', scopeId: userId, month });
  return accounts;
}

/** The record of an attempt that nobody told the end of: it may have cost all that was reserved. */
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

export function encodeBudgetReservation(word: string, reservation: BudgetReservation): string {
  return JSON.stringify([
    word,
    reservation.id,
    reservation.requestId,
    reservation.attempt,
    reservation.organizationId,
    reservation.keyId,
    reservation.userId,
    reservation.category,
    reservation.provider,
    reservation.model,
    reservation.streamed,
    reservation.amountNanos,
    reservation.reservesKey,
    reservation.reservesUser,
    reservation.month,
    reservation.expiresAt,
  ]);
}

export function decodeBudgetReservation(values: readonly unknown[]): BudgetReservation | undefined {
  const [, id, requestId, attempt, organizationId, keyId, userId, category, ...rest] = values;
  const [provider, model, streamed, amountNanos, reservesKey, reservesUser, month, expiresAt] =
    rest;
  if (rest.length !== 8) return undefined;
  if (!isText(id) || !isText(requestId) || !isText(organizationId) || !isText(keyId))
    return undefined;
  if (!isText(provider) || !isText(model) || !isLabel(userId) || !isLabel(category))
    return undefined;
  if (!isCount(attempt) || !isCount(amountNanos) || !isCount(month) || !isCount(expiresAt))
    return undefined;
  return {
    id,
    requestId,
    attempt,
    organizationId,
    keyId,
    userId: userId ?? undefined,
    category: category ?? undefined,
    provider,
    model,
    streamed: streamed === true,
    amountNanos,
    reservesKey: reservesKey === true,
    reservesUser: reservesUser === true,
    month,
    expiresAt,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isLabel(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
