// Where SQLite and PostgreSQL cannot be told the same thing, said once. Everything else under adapters/sql is
// written for both. Also the readers that make their rows alike: PostgreSQL hands bigints back as text.

import { type RawBuilder, sql } from 'kysely';

export type SqlDialect = {
  readonly name: 'sqlite' | 'postgres';
  /** Column type for JSON that operators query with SQL; what only we read is text on both. */
  readonly jsonType: 'text' | 'jsonb';
  /** Ends a SELECT that claims rows: several processes must not wait for, or take, each other's rows. */
  readonly lockSkippingTaken: RawBuilder<unknown>;
  /** Bound variables one statement may carry. */
  readonly maxVariables: number;
};

export const sqliteDialect: SqlDialect = Object.freeze({
  name: 'sqlite',
  jsonType: 'text',
  lockSkippingTaken: sql``,
  maxVariables: 32_766,
});

export function toNumber(value: number | string | bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new Error(`the store returned ${value} for an integer`);
  return number;
}

export function toOptionalNumber(value: number | string | bigint | null): number | undefined {
  return value === null ? undefined : toNumber(value);
}

export function toBoolean(value: number | string | bigint): boolean {
  return Number(value) !== 0;
}

export function fromBoolean(value: boolean): number {
  return value ? 1 : 0;
}
