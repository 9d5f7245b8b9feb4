// Opens and migrates the embedded store: one SQLite file, one connection. WAL with synchronous=NORMAL survives the death of
// the process at any time; a power failure may lose the last commits. A store that cannot be opened throws SQLite's
// error. folder-lock.ts guarantees one process per store.

import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { migrate } from '../sql/migrate.ts';
import type { Schema } from '../sql/schema.ts';
import { type SqlDialect, sqliteDialect } from '../sql/sql-dialect.ts';
import { ConnectionMutex } from './connection-mutex.ts';
import { createKyselyDialect } from './kysely-dialect.ts';

export type SqliteStore = {
  readonly db: Kysely<Schema>;
  readonly dialect: SqlDialect;
  /**
   * Runs synchronous statements on the connection, never inside another transaction. If the connection is free, `fn`
   * has run when this returns its promise.
   */
  withRaw<T>(fn: (database: DatabaseSync) => T): Promise<T>;
  /** Waits for statements in flight, then closes the file. */
  close(): Promise<void>;
};

const PRAGMAS = `
  pragma journal_mode = wal;
  pragma synchronous = normal;
  pragma foreign_keys = on;
  pragma busy_timeout = 5000;
  pragma journal_size_limit = 67108864;
`;

export async function openSqlite(file: string): Promise<SqliteStore> {
  if (file !== ':memory:') keepPrivate(file);
  const database = new DatabaseSync(file);
  const mutex = new ConnectionMutex();
  const db = new Kysely<Schema>({ dialect: createKyselyDialect(database, mutex) });
  try {
    database.exec(PRAGMAS);
    await migrate(db, sqliteDialect);
  } catch (cause) {
    database.close();
    throw cause;
  }
  let closing: Promise<void> | undefined;
  return {
    db,
    dialect: sqliteDialect,
    withRaw: (fn) => runExclusively(database, mutex, fn),
    close() {
      closing ??= closeWhenIdle(database, mutex, db);
      return closing;
    },
  };
}

/** The file contains prompts, results and secrets. SQLite's other files get its permissions. */
function keepPrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
}

async function runExclusively<T>(
  database: DatabaseSync,
  mutex: ConnectionMutex,
  fn: (database: DatabaseSync) => T,
): Promise<T> {
  if (!mutex.tryAcquire()) await mutex.acquire();
  try {
    return fn(database);
  } finally {
    mutex.release();
  }
}

async function closeWhenIdle(
  database: DatabaseSync,
  mutex: ConnectionMutex,
  db: Kysely<Schema>,
): Promise<void> {
  await mutex.acquire();
  try {
    await db.destroy();
    database.close();
  } finally {
    mutex.release();
  }
}
