// The differences between SQLite and PostgreSQL. Everything else under adapters/sql is written for both. Also the
// converters that make their rows equal: a bigint that is not a safe integer is rejected.

import { type Kysely, type KyselyPlugin, type RawBuilder, sql } from 'kysely';
import { BytewiseText } from './bytewise-text.ts';
import type { Schema } from './schema.ts';

/** The parts of a store that the adapters of this folder need. */
export type SqlStore = { readonly db: Kysely<Schema>; readonly dialect: SqlDialect };

export type SqlDialect = {
  readonly name: 'sqlite' | 'postgres';
  /**
   * The schema of Spillway's tables, where the database may contain other programs' tables. Queries omit it: it is
   * first on the search path of every connection.
   */
  readonly schema: string | undefined;
  /** Kysely plugins for migrations on this store. */
  readonly migrationPlugins: readonly KyselyPlugin[];
  /** Column type of JSON that operators query with SQL; other JSON is text on both. */
  readonly jsonType: 'text' | 'jsonb';
  /** Column type of bytes. */
  readonly bytesType: 'blob' | 'bytea';
  /** Clause of a SELECT that claims rows: a process neither waits for rows claimed by another nor claims them. */
  readonly skipLocked: RawBuilder<unknown>;
  /** Maximum number of bound variables in a statement. */
  readonly maxVariables: number;
  /** Clause of a CREATE TABLE that stores rows in the order of the primary key, without a second index. */
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
