// The words that migrations are written in. Everything is made only if it is not there yet.

import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';
import type { SqlDialect } from '../sql-dialect.ts';

export type ColumnOf = Parameters<CreateTableBuilder<string>['addColumn']>[2];

export const required: ColumnOf = (column) => column.notNull();

export function table(db: Kysely<Schema>, name: keyof Schema): CreateTableBuilder<string> {
  return db.schema.createTable(name).ifNotExists();
}

/**
 * Where a table belongs that other programs share by its name: the first schema beside ours that connections look
 * into and that we may make a table in, else ours. Queries need not know: they look into all of them.
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

export function bodyTable(db: Kysely<Schema>, name: keyof Schema, column: string): Promise<void> {
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
 * Rows of such a table are added, found by their key and removed when they are old. There is nothing to tidy up behind those
 * that are added, and no plan goes by what is in it: looking it over every minute would be for nothing. PostgreSQL only.
 */
export async function seldomLookOver(db: Kysely<Schema>, name: string): Promise<void> {
  await sql`alter table ${sql.table(name)} set (autovacuum_vacuum_insert_threshold = 1000000,
    autovacuum_analyze_threshold = 1000000)`.execute(db);
}
