// Build events. On PostgreSQL the table belongs to the product: an existing one gets the columns and indexes that it lacks
// and keeps everything else. Without one, the table is created in the product's schema, or in Spillway's own where creating
// it there is not permitted. Column types are a product's choice: timestamps are timestamptz, flags are booleans.

import { type ColumnDataType, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../../schema.ts';
import type { SqlDialect } from '../../sql-dialect.ts';
import { index, sharedSchema } from '../define-table.ts';

const NAME = 'project_build_events';

type ColumnType = ColumnDataType | RawBuilder<unknown>;

export async function createBuildEventTable(
  db: Kysely<Schema>,
  dialect: SqlDialect,
): Promise<void> {
  const existing = await existingColumns(db, dialect);
  if (existing.length === 0) await create(db, dialect);
  else await extend(db, dialect, new Set(existing));
  await index(db, 'idx_pbe_error_code', NAME, ['error_code'], sql`error_code is not null`);
  await index(
    db,
    'idx_project_build_events_user_error_message',
    NAME,
    ['user_error_message'],
    sql`user_error_message is not null`,
  );
  await index(db, 'idx_project_build_events_build', NAME, ['organization_id', 'build_id', 'id']);
}

/** The columns of the table that an unqualified query finds; empty if there is no table. */
async function existingColumns(
  db: Kysely<Schema>,
  dialect: SqlDialect,
): Promise<readonly string[]> {
  const columns =
    dialect.name === 'sqlite'
      ? sql<{ name: string }>`select name from pragma_table_info(${NAME})`
      : sql<{ name: string }>`select attname as name from pg_attribute
          where attrelid = to_regclass(${NAME}) and attnum > 0 and not attisdropped`;
  return (await columns.execute(db)).rows.map(({ name }) => name);
}

async function create(db: Kysely<Schema>, dialect: SqlDialect): Promise<void> {
  const schema = await sharedSchema(db, dialect);
  const at = schema === undefined ? db : db.withSchema(schema);
  let table = at.schema.createTable(NAME).ifNotExists();
  table =
    dialect.name === 'sqlite'
      ? table.addColumn('id', 'integer', (id) => id.primaryKey().autoIncrement())
      : table.addColumn('id', 'bigint', (id) => id.primaryKey().generatedByDefaultAsIdentity());
  for (const [name, type] of columnsOf(dialect))
    table = table.addColumn(name, type, (column) =>
      NOT_NULL.has(name) ? column.notNull() : column,
    );
  await table.execute();
}

async function extend(
  db: Kysely<Schema>,
  dialect: SqlDialect,
  existing: ReadonlySet<string>,
): Promise<void> {
  for (const [name, type] of columnsOf(dialect))
    if (!existing.has(name)) await db.schema.alterTable(NAME).addColumn(name, type).execute();
}

const NOT_NULL: ReadonlySet<string> = new Set(['build_id', 'event_type', 'created_at']);

function columnsOf(dialect: SqlDialect): readonly (readonly [string, ColumnType])[] {
  const isSqlite = dialect.name === 'sqlite';
  const json = dialect.jsonType;
  const flag = isSqlite ? sql`integer default 0` : sql`boolean default false`;
  return [
    ['organization_id', 'text'],
    ['build_id', 'text'],
    ['user_id', 'text'],
    ['event_type', 'text'],
    ['event_data', json],
    ['created_at', isSqlite ? 'bigint' : sql`timestamptz default now()`],
    ['user_visible', flag],
    ['event_phase', 'text'],
    ['event_title', 'text'],
    ['event_description', 'text'],
    ['overall_progress', 'double precision'],
    ['finished', flag],
    ['preview_url', 'text'],
    ['duration_seconds', 'double precision'],
    ['error_message', 'text'],
    ['error_code', 'text'],
    ['error_params', json],
    ['user_error_message', 'text'],
  ];
}
