// Fills a store with history before a gateway opens it: a file of SQLite in the gateway's data folder, or a PostgreSQL
// database of its own that is dropped with the stage.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { openSqlite } from '../../src/adapters/sqlite/open-sqlite.ts';
import { calendarMonth } from '../../src/kernel/calendar/calendar-month.ts';
import { createTestDatabase } from '../../test/support/stores/isolated-postgres.ts';
import type { Stage } from '../stage.ts';
import { type History, historyStatements, POSTGRES_WORDS, SQLITE_WORDS } from './history-sql.ts';

export async function seedSqlite(folder: string, history: History, stage: Stage): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const store = await openSqlite(join(folder, 'spillway.db'));
  const now = Date.now();
  try {
    await store.withRaw((database) => {
      database.exec('pragma synchronous = off');
      database.exec('pragma cache_size = -500000');
      const { number: month } = calendarMonth(now, 'UTC');
      for (const { what, text } of historyStatements(SQLITE_WORDS, history, now, month)) {
        stage.progress(`storing ${what}`);
        stage.signal.throwIfAborted();
        database.exec(text);
      }
      database.exec('analyze');
    });
  } finally {
    await store.close();
  }
}

/** Resolves to the URL of the database. */
export async function seedPostgres(
  serverUrl: string,
  history: History,
  stage: Stage,
): Promise<string> {
  const database = await createTestDatabase('bench_history', { serverUrl });
  stage.onClose(() => database.drop());
  const client = new Client({
    connectionString: database.url,
    options: '-c search_path=spillway -c synchronous_commit=off -c work_mem=256MB',
  });
  await client.connect();
  const now = Date.now();
  const { number: month } = calendarMonth(now, 'UTC');
  try {
    for (const { what, text } of historyStatements(POSTGRES_WORDS, history, now, month)) {
      stage.progress(`storing ${what}`);
      stage.signal.throwIfAborted();
      await client.query(text);
    }
    // In production autovacuum does this.
    stage.progress('vacuuming');
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
  return database.url;
}
