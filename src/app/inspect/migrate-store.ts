// Runs the pending migrations of the configured store, for `spillway migrate`. Embedded storage is opened the way its
// server opens it. PostgreSQL may be migrated while servers run: migrations only add.

import type { Config } from '../../config/config.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createLifecycle } from '../../kernel/lifecycle.ts';
import { silentLog } from '../../kernel/log.ts';

/** Returns the names of the migrations that ran, oldest first. */
export function migrateStore(config: Config): Promise<readonly string[]> {
  const { databaseUrl } = config.storage;
  return databaseUrl === undefined ? migrateEmbedded(config) : migrateCluster(databaseUrl);
}

async function migrateEmbedded(config: Config): Promise<readonly string[]> {
  const { inspectStore } = await import('./inspect-store.ts');
  const { lockDataFolder, openStore } = await import('../open/open-store.ts');
  const { dataDir } = config.storage;
  const lifecycle = createLifecycle();
  try {
    lockDataFolder(dataDir, lifecycle);
    const { pending } = await inspectStore(config);
    await openStore({ dataDir, clock: systemClock, log: silentLog, lifecycle });
    return pending;
  } finally {
    await lifecycle.close();
  }
}

async function migrateCluster(databaseUrl: string): Promise<readonly string[]> {
  const { migratePostgres } = await import(
    '../../adapters/postgres/connection/migrate-postgres.ts'
  );
  const { refuseTransactionPooling, withStartFailures } = await import(
    '../open/open-postgres-store.ts'
  );
  return withStartFailures(databaseUrl, async () => {
    await refuseTransactionPooling(databaseUrl);
    return migratePostgres(databaseUrl);
  });
}
