// The words that migrations are written in. Everything is made only if it is not there yet.

import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';
import type { SqlDialect } from '../sql-dialect.ts';

export type ColumnOf = Parameters<CreateTableBuilder<string>['addColumn']>[2];

export const required: ColumnOf = (column) => column.notNull();

export const ofJob: ColumnOf = (column) =>
  column.notNull().references('jobs.id').onDelete('cascade');

export function table(db: Kysely<Schema>, name: keyof Schema): CreateTableBuilder<string> {
  return db.schema.createTable(name).ifNotExists();
}

/**
 * A table that other programs share by its name, such as one that was there before us: it is made where they look,
 * outside of our own schema. Queries need not know; our connections look there second.
 */
export async function sharedTable(
  db: Kysely<Schema>,
  dialect: SqlDialect,
  name: string,
): Promise<CreateTableBuilder<string>> {
  if (dialect.schema === undefined) return db.schema.createTable(name).ifNotExists();
  const { rows } = await sql<{ schema: string }>`
    select schema from unnest(current_schemas(false) || 'public'::name) with ordinality as path (schema, place)
    where schema <> ${dialect.schema} order by place limit 1`.execute(db);
  const schema = rows[0]?.schema ?? 'public';
  return db.withSchema(schema).schema.createTable(name).ifNotExists();
}

export function bodyTable(db: Kysely<Schema>, name: keyof Schema, column: string): Promise<void> {
  return table(db, name)
    .addColumn('job_id', 'text', (key) =>
      key.primaryKey().references('jobs.id').onDelete('cascade'),
    )
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
