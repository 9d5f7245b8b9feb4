// Inspects an embedded store without changing it: read-only, even while a server uses it or before it exists. Throws
// SQLite's error for a file that is not a database or cannot be read.

import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { pendingMigrations } from '../sql/migrate.ts';
import type { Schema } from '../sql/schema.ts';
import { sqliteDialect } from '../sql/sql-dialect.ts';
import { ConnectionMutex } from './connection-mutex.ts';
import { createKyselyDialect } from './kysely-dialect.ts';

export type StoreInspection = {
  readonly exists: boolean;
  /** Migrations that opening the store would run, oldest first. */
  readonly pending: readonly string[];
  /** The latest timestamp in the store; undefined if it is empty. */
  readonly newestAt: number | undefined;
};

export async function inspectSqlite(file: string): Promise<StoreInspection> {
  const exists = existsSync(file);
  const database = exists
    ? new DatabaseSync(file, { readOnly: true, timeout: 5000 })
    : new DatabaseSync(':memory:');
  const db = new Kysely<Schema>({
    dialect: createKyselyDialect(database, new ConnectionMutex()),
  });
  try {
    const pending = await pendingMigrations(db, sqliteDialect);
    const newestAt = pending.length === 0 ? await newestTimestamp(db) : undefined;
    return { exists, pending, newestAt };
  } finally {
    await db.destroy();
    database.close();
  }
}

/** Reads small tables, and large ones by an index on the timestamp. */
async function newestTimestamp(db: Kysely<Schema>): Promise<number | undefined> {
  const { rows } = await sql<{ at: number | null }>`
    select max(at) as at from (
      select max(created_at) as at from usage_records
      union all select max(created_at) from audit_log
      union all select max(updated_at) from organizations
    )`.execute(db);
  return rows[0]?.at ?? undefined;
}
