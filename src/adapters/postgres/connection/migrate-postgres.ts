// Runs the pending migrations of a PostgreSQL store and replaces its outdated functions. An advisory lock serializes
// servers that start together: one migrates, the others then find nothing pending. Migrations may run for long, so
// they use connections of their own, without the timeouts of everyday statements.

import { sql } from 'kysely';
import { migrate, pendingMigrations } from '../../sql/migrate.ts';
import { applyFunctions, outdatedFunctions } from '../functions/apply-functions.ts';
import { STORE_LOCKS } from '../store-lock/store-lock.ts';
import { openPostgres, type PostgresStore } from './open-postgres.ts';

const MIGRATION_TIMEOUT_MS = 3_600_000;
/** One for the lock, one for the migrator and one for its queries outside its transaction. */
const CONNECTIONS = 3;
/** Stands for all outdated functions among the names of migrations. */
const FUNCTIONS = 'functions';

/** Names of the migrations that were run now, oldest first. */
export async function migratePostgres(url: string): Promise<readonly string[]> {
  const store = openPostgres(url, {
    maxConnections: CONNECTIONS,
    statementTimeoutMs: MIGRATION_TIMEOUT_MS,
    queryTimeoutMs: MIGRATION_TIMEOUT_MS,
    idleInTransactionTimeoutMs: MIGRATION_TIMEOUT_MS,
    applicationName: 'spillway migrate',
  });
  try {
    return await migrateUnderLock(store);
  } finally {
    await store.close();
  }
}

/** Names of the migrations that the store lacks. Changes nothing and waits for no lock. */
export async function pendingInPostgres({
  db,
  dialect,
}: PostgresStore): Promise<readonly string[]> {
  const pending = await pendingMigrations(db, dialect);
  return (await outdatedFunctions(db)).length === 0 ? pending : [...pending, FUNCTIONS];
}

function migrateUnderLock({ db, dialect }: PostgresStore): Promise<readonly string[]> {
  return db.connection().execute(async (connection) => {
    // The migrator has a lock too, but creates its own tables before it takes it.
    await sql`select pg_advisory_lock(${STORE_LOCKS.family}, ${STORE_LOCKS.migrating})`.execute(
      connection,
    );
    // The migrator rejects a store that a newer version has migrated; such a store lacks nothing.
    const isPending = (await pendingMigrations(db, dialect)).length > 0;
    const migrations = isPending ? await migrate(db, dialect) : [];
    return (await applyFunctions(db)).length === 0 ? migrations : [...migrations, FUNCTIONS];
  });
}
