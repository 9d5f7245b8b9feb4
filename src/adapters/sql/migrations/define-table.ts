// Helpers for migrations. Tables and indexes are created only if they do not exist.

import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';
import type { SqlDialect } from '../sql-dialect.ts';

export type ColumnOf = Parameters<CreateTableBuilder<string>['addColumn']>[2];

export const required: ColumnOf = (column) => column.notNull();

export function table(db: Kysely<Schema>, name: keyof Schema): CreateTableBuilder<string> {
  return db.schema.createTable(name).ifNotExists();
}

/**
 * The schema for a table that is shared with other programs: the first one on the search path, other than Spillway's,
 * that permits creating tables; otherwise Spillway's own. Queries find the table through the search path.
 */
export async function sharedSchema(
  db: Kysely<Schema>,
  dialect: SqlDialect,
): Promise<string | undefined> {
  if (dialect.schema === undefined) return undefined;
  const { rows } = await sql<{ schema: string }>`
    select schema from unnest(current_schemas(false)) with ordinality as path (schema, place)
    where schema <> ${dialect.schema} and has_schema_privilege(schema, 'create')
    order by place limit 1`.execute(db);
  return rows[0]?.schema ?? dialect.schema;
}

/** A table with one long text per job, so that the rows of `jobs` stay short. */
export function textTable(db: Kysely<Schema>, name: keyof Schema, column: string): Promise<void> {
  return table(db, name)
    .addColumn('job_id', 'text', (key) => key.primaryKey())
    .addColumn(column, 'text', required)
    .execute();
}

export function index(
  db: Kysely<Schema>,
  name: string,
  on: keyof Schema,
  columns: readonly string[],
  where?: ReturnType<typeof sql<unknown>>,
): Promise<void> {
  const created = db.schema
    .createIndex(name)
    .ifNotExists()
    .on(on)
    .columns([...columns]);
  return (where ? created.where(sql<boolean>`${where}`) : created).execute();
}

/**
 * Raises the thresholds of autovacuum for a table of rows that are inserted, read by key and deleted when old: inserts leave
 * no dead rows, and no plan depends on its statistics. PostgreSQL only.
 */
export async function vacuumRarely(db: Kysely<Schema>, name: string): Promise<void> {
  await sql`alter table ${sql.table(name)} set (autovacuum_vacuum_insert_threshold = 1000000,
    autovacuum_analyze_threshold = 1000000)`.execute(db);
}
