// A hold as a row and back, the same on both stores; and as JSON, for PostgreSQL's own functions.

import type { Insertable, Selectable } from 'kysely';
import type { BudgetHold } from '../../../metering/budgets/budget-hold.ts';
import type { BudgetHoldsTable } from '../schema.ts';
import { fromBoolean, toBoolean, toNumber } from '../sql-dialect.ts';

export const HOLD_COLUMNS = [
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
  'holds_key',
  'holds_user',
  'month',
  'expires_at',
] as const satisfies readonly (keyof BudgetHoldsTable)[];

export function toHoldRow(hold: BudgetHold): Insertable<BudgetHoldsTable> {
  return {
    id: hold.id,
    request_id: hold.requestId,
    attempt: hold.attempt,
    organization_id: hold.organizationId,
    key_id: hold.keyId,
    user_id: hold.userId ?? null,
    category: hold.category ?? null,
    provider: hold.provider,
    model: hold.model,
    streamed: fromBoolean(hold.streamed),
    amount_nanos: hold.amountNanos,
    holds_key: fromBoolean(hold.holdsKey),
    holds_user: fromBoolean(hold.holdsUser),
    month: hold.month,
    expires_at: hold.expiresAt,
  };
}

/** An array of arrays, each the values in the order of HOLD_COLUMNS. */
export function holdsJson(holds: readonly BudgetHold[]): string {
  return `[${holds.map(toHoldJson).join(',')}]`;
}

function toHoldJson(hold: BudgetHold): string {
  return JSON.stringify([
    hold.id,
    hold.requestId,
    hold.attempt,
    hold.organizationId,
    hold.keyId,
    storable(hold.userId),
    storable(hold.category),
    hold.provider,
    storable(hold.model),
    hold.streamed ? 1 : 0,
    hold.amountNanos,
    hold.holdsKey ? 1 : 0,
    hold.holdsUser ? 1 : 0,
    hold.month,
    hold.expiresAt,
  ]);
}

/** What callers write may hold what PostgreSQL's JSON cannot: the mark for an unreadable character takes its place. */
function storable(text: string | undefined): string | undefined {
  if (text === undefined || (text.isWellFormed() && !text.includes('\0'))) return text;
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

export function toHold(row: Selectable<BudgetHoldsTable>): BudgetHold {
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
    holdsKey: toBoolean(row.holds_key),
    holdsUser: toBoolean(row.holds_user),
    month: toNumber(row.month),
    expiresAt: toNumber(row.expires_at),
  };
}
