// Where SQLite and PostgreSQL cannot be told the same thing, said once. Everything else under adapters/sql is
// written for both. Also the readers that make their rows alike: a bigint that is no safe integer is refused.

import { type KyselyPlugin, type RawBuilder, sql } from 'kysely';
import { BytewiseText } from './bytewise-text.ts';

export type SqlDialect = {
  readonly name: 'sqlite' | 'postgres';
  /**
   * Where our tables are, when the store may hold other people's too. Queries leave it out: every connection
   * looks there first.
   */
  readonly schema: string | undefined;
  /** What the migrations go through on this store. */
  readonly migrationPlugins: readonly KyselyPlugin[];
  /** Column type for JSON that operators query with SQL; what only we read is text on both. */
  readonly jsonType: 'text' | 'jsonb';
  /** Column type for bytes. */
  readonly bytesType: 'blob' | 'bytea';
  /** Ends a SELECT that claims rows: several processes must not wait for, or take, each other's rows. */
  readonly skipLocked: RawBuilder<unknown>;
  /** Bound variables one statement may carry. */
  readonly maxVariables: number;
  /** Ends a CREATE TABLE whose rows are best kept in the order of their key, without a second index. */
  readonly clusteredByKey: RawBuilder<unknown>;
};

export const sqliteDialect: SqlDialect = Object.freeze({
  name: 'sqlite',
  schema: undefined,
  migrationPlugins: [],
  jsonType: 'text',
  bytesType: 'blob',
  skipLocked: sql``,
  maxVariables: 32_766,
  clusteredByKey: sql`without rowid`,
});

export const postgresDialect: SqlDialect = Object.freeze({
  name: 'postgres',
  schema: 'spillway',
  migrationPlugins: [new BytewiseText()],
  jsonType: 'jsonb',
  bytesType: 'bytea',
  skipLocked: sql`for update skip locked`,
  maxVariables: 65_535,
  clusteredByKey: sql``,
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
