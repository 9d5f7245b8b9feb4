// A migrated PostgreSQL database for one test file, dropped at its end.

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

/** Runs one statement on a connection of its own, like another program. */
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

/** Opens a store on the database after deleting all rows. */
export async function openEmptyStore({ url }: TestDatabase): Promise<PostgresStore> {
  // Deleting a few rows is ten times as fast as truncating. Organisations are last, because keys refer to them.
  const [row] = await runOn(
    url,
    `select string_agg(format('delete from %I.%I', schemaname, tablename), ';' order by tablename = 'organizations')
       as deletes from pg_tables where schemaname = 'spillway' and tablename not like 'spillway\\_%'`,
  );
  await runOn(url, String(row?.['deletes']));
  return openPostgres(url);
}

/** Resolves when the store has been idle for some turns of the event loop. */
export async function untilIdle(store: PostgresStore): Promise<void> {
  for (let quietTurns = 0; quietTurns < QUIET_TURNS; ) {
    await new Promise((resolve) => setImmediate(resolve));
    const { open, idle, waiting } = store.load();
    quietTurns = open === idle && waiting === 0 ? quietTurns + 1 : 0;
  }
}

/** A handler may take a turn or two between two statements. */
const QUIET_TURNS = 5;
