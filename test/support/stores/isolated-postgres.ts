// A migrated PostgreSQL database for one test file alone, dropped when the file is done.

import { Client } from 'pg';
import { migratePostgres } from '../../../src/adapters/postgres/connection/migrate-postgres.ts';
import {
  openPostgres,
  type PostgresStore,
} from '../../../src/adapters/postgres/connection/open-postgres.ts';
import { isolatedDatabase, servicesFromEnv } from '../services/services-from-env.ts';

export type TestDatabase = { readonly url: string; drop(): Promise<void> };

export async function createTestDatabase(
  purpose: string,
  { isMigrated = true, serverUrl = servicesFromEnv(process.env).databaseUrl } = {},
): Promise<TestDatabase> {
  const database = isolatedDatabase(serverUrl, purpose);
  await runOn(serverUrl, database.createSql);
  if (isMigrated) await migratePostgres(database.url);
  return { url: database.url, drop: async () => void (await runOn(serverUrl, database.dropSql)) };
}

/** One statement on a connection of its own, as an outsider would make it. */
export async function runOn(
  url: string,
  text: string,
): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** A store on the database with nothing in it but its migrations. */
export async function openEmptyStore({ url }: TestDatabase): Promise<PostgresStore> {
  // Deleting a few rows is ten times as fast as truncating; keys refer to organisations, which therefore go last.
  const [row] = await runOn(
    url,
    `select string_agg(format('delete from %I.%I', schemaname, tablename), ';' order by tablename = 'organizations')
       as deletes from pg_tables where schemaname = 'spillway' and tablename not like 'spillway\\_%'`,
  );
  await runOn(url, String(row?.['deletes']));
  return openPostgres(url);
}

/** Resolves when the store has had nothing to do for some turns of the event loop. */
export async function untilIdle(store: PostgresStore): Promise<void> {
  for (let quietTurns = 0; quietTurns < QUIET_TURNS; ) {
    await new Promise((resolve) => setImmediate(resolve));
    const { open, idle, waiting } = store.load();
    quietTurns = open === idle && waiting === 0 ? quietTurns + 1 : 0;
  }
}

/** A handler may let a turn or two go by between one statement and the next. */
const QUIET_TURNS = 5;
