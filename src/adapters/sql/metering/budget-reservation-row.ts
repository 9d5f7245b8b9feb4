// A reservation as a row and back, the same on both stores; and as JSON, for PostgreSQL's own functions.

import type { Insertable, Selectable } from 'kysely';
import type { BudgetReservation } from '../../../metering/budgets/budget-reservation.ts';
import type { BudgetReservationsTable } from '../schema.ts';
import { fromBoolean, toBoolean, toNumber } from '../sql-dialect.ts';

export const RESERVATION_COLUMNS = [
  'id',
  'request_id',
  'attempt',
  'organization_id',
  'key_id',
  'user_id',
  'category',
  'provider',
  'model',
  'streamed',
  'amount_nanos',
  'reserves_key',
  'reserves_user',
  'month',
  'expires_at',
] as const satisfies readonly (keyof BudgetReservationsTable)[];

export function toReservationRow(
  reservation: BudgetReservation,
): Insertable<BudgetReservationsTable> {
  return {
    id: reservation.id,
    request_id: reservation.requestId,
    attempt: reservation.attempt,
    organization_id: reservation.organizationId,
    key_id: reservation.keyId,
    user_id: reservation.userId ?? null,
    category: reservation.category ?? null,
    provider: reservation.provider,
    model: reservation.model,
    streamed: fromBoolean(reservation.streamed),
    amount_nanos: reservation.amountNanos,
    reserves_key: fromBoolean(reservation.reservesKey),
    reserves_user: fromBoolean(reservation.reservesUser),
    month: reservation.month,
    expires_at: reservation.expiresAt,
  };
}

/** An array of arrays, each the values in the order of RESERVATION_COLUMNS. */
export function reservationsJson(reservations: readonly BudgetReservation[]): string {
  return `[${reservations.map(toReservationJson).join(',')}]`;
}

function toReservationJson(reservation: BudgetReservation): string {
  return JSON.stringify([
    reservation.id,
    reservation.requestId,
    reservation.attempt,
    reservation.organizationId,
    reservation.keyId,
    storable(reservation.userId),
    storable(reservation.category),
    reservation.provider,
    storable(reservation.model),
    reservation.streamed ? 1 : 0,
    reservation.amountNanos,
    reservation.reservesKey ? 1 : 0,
    reservation.reservesUser ? 1 : 0,
    reservation.month,
    reservation.expiresAt,
  ]);
}

/** What callers write may reservation what PostgreSQL's JSON cannot: the mark for an unreadable character takes its place. */
function storable(text: string | undefined): string | undefined {
  if (text === undefined || (text.isWellFormed() && !text.includes('\0'))) return text;
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

export function toReservation(row: Selectable<BudgetReservationsTable>): BudgetReservation {
  return {
    id: row.id,
    requestId: row.request_id,
    attempt: toNumber(row.attempt),
    organizationId: row.organization_id,
    keyId: row.key_id,
    userId: row.user_id ?? undefined,
    category: row.category ?? undefined,
    provider: row.provider,
    model: row.model,
    streamed: toBoolean(row.streamed),
    amountNanos: toNumber(row.amount_nanos),
    reservesKey: toBoolean(row.reserves_key),
    reservesUser: toBoolean(row.reserves_user),
    month: toNumber(row.month),
    expiresAt: toNumber(row.expires_at),
  };
}
