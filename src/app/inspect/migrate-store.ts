// What `spillway migrate` does: brings the store up to date and tells what was run. Embedded storage is opened as its
// server would open it when it starts. PostgreSQL is migrated beside servers that are running: migrations only add.

import type { Config } from '../../config/config.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createLifecycle } from '../../kernel/lifecycle.ts';
import { silentLog } from '../../kernel/log.ts';

/** Names of the migrations that were run, oldest first. */
export function migrateStore(config: Config): Promise<readonly string[]> {
  const { databaseUrl } = config.storage;
  return databaseUrl === undefined ? migrateEmbedded(config) : migrateCluster(databaseUrl);
}

async function migrateEmbedded(config: Config): Promise<readonly string[]> {
  const { inspectStore } = await import('./inspect-store.ts');
  const { holdFolder, openStore } = await import('../open/open-store.ts');
  const { dataDir } = config.storage;
  const lifecycle = createLifecycle();
  try {
    holdFolder(dataDir, lifecycle);
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
  const { orSentence } = await import('../open/open-postgres-store.ts');
  return orSentence(databaseUrl, () => migratePostgres(databaseUrl));
}
