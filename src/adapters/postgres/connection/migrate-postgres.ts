// Runs the migrations that a PostgreSQL store lacks, and tells which those are. Servers that start together take
// turns: one migrates, the others then find nothing to do. Migrating may take as long as it takes, so it
// has connections of its own, without the timeouts of everyday statements.

import { sql } from 'kysely';
import { migrate, pendingMigrations } from '../../sql/migrate.ts';
import { STORE_LOCKS } from '../store-lock/lock-numbers.ts';
import { openPostgres, type PostgresStore } from './open-postgres.ts';

const AS_LONG_AS_IT_TAKES_MS = 3_600_000;
/** One to hold the lock, one for the migrator and one for what it asks beside. */
const CONNECTIONS = 3;

/** Names of the migrations that were run now, oldest first. */
export async function migratePostgres(url: string): Promise<readonly string[]> {
  const store = openPostgres(url, {
    maxConnections: CONNECTIONS,
    statementTimeoutMs: AS_LONG_AS_IT_TAKES_MS,
    queryTimeoutMs: AS_LONG_AS_IT_TAKES_MS,
    idleInTransactionTimeoutMs: AS_LONG_AS_IT_TAKES_MS,
    applicationName: 'spillway migrate',
  });
  try {
    return await migrateAlone(store);
  } finally {
    await store.close();
  }
}

/** Looks without touching, and without waiting for anybody. */
export function pendingInPostgres({ db, dialect }: PostgresStore): Promise<readonly string[]> {
  return pendingMigrations(db, dialect);
}

async function migrateAlone({ db, dialect }: PostgresStore): Promise<readonly string[]> {
  return db.connection().execute(async (holder) => {
    // The migrator has a lock too, but makes its own tables before it takes it.
    await sql`select pg_advisory_lock(${STORE_LOCKS.family}, ${STORE_LOCKS.migrating})`.execute(
      holder,
    );
    // A store that a newer version has migrated lacks nothing, and is not to be found fault with.
    if ((await pendingMigrations(db, dialect)).length === 0) return [];
    return migrate(db, dialect);
  });
}
