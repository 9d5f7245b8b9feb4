// Opens the configured durable store and returns its ports. Embedded: one SQLite file in the data folder, for one
// process at a time. With DATABASE_URL: PostgreSQL (open-postgres-store.ts).

import { join } from 'node:path';
import { createJobStore } from '../../adapters/sql/jobs/job-store.ts';
import { createQueueSignals } from '../../adapters/sql/queue/queue-signals.ts';
import { releaseLeases } from '../../adapters/sql/release-leases.ts';
import { lockFolder } from '../../adapters/sqlite/folder-lock.ts';
import { openSqlite } from '../../adapters/sqlite/open-sqlite.ts';
import { createSqliteUsageStore } from '../../adapters/sqlite/usage-store.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { StartFailure } from '../start-failure.ts';
import { openPorts, type Store } from '../store-ports.ts';
import { openBuilds } from './open-builds.ts';

export type { Store } from '../store-ports.ts';

export type StoreParts = {
  readonly dataDir: string;
  /** URL of PostgreSQL; absent for embedded storage. */
  readonly databaseUrl?: string | undefined;
  /** With a Redis, other servers of the same Redis may use the same PostgreSQL. */
  readonly redisUrl?: string | undefined;
  readonly migrateOnStart?: boolean;
  /** The organisation of build events without one. */
  readonly unownedOrganization?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

/** The caller has locked the data folder: an embedded store belongs to one process. */
export async function openStore(parts: StoreParts): Promise<Store> {
  const { databaseUrl } = parts;
  if (databaseUrl === undefined) return openEmbeddedStore(parts);
  // Loaded on demand: embedded storage does not need the driver's memory.
  const { openPostgresStore } = await import('./open-postgres-store.ts');
  return openPostgresStore({ ...parts, databaseUrl });
}

async function openEmbeddedStore(parts: StoreParts): Promise<Store> {
  const sqlite = await openSqlite(join(parts.dataDir, 'spillway.db'));
  parts.lifecycle.onClose('store', () => sqlite.close());
  await releaseLeases(sqlite.db, parts.clock.now());
  const signals = createQueueSignals();
  const builds = openBuilds(sqlite, parts);
  return openPorts({
    ...parts,
    ...sqlite,
    usage: createSqliteUsageStore(sqlite),
    jobs: createJobStore({ db: sqlite.db, signals, ...builds }),
    builds,
    signals,
    lockState: () => 'locked',
  });
}

/** One process per data folder: two would write the same journal and count the limits separately. */
export function lockDataFolder(dataDir: string, lifecycle: Lifecycle): void {
  const lock = lockFolder(dataDir);
  switch (lock.kind) {
    case 'locked':
      lifecycle.onClose('data folder', () => lock.release());
      return;
    case 'in_use':
      throw new StartFailure(
        `The data folder ${dataDir} is in use by another Spillway${lock.pid === undefined ? '' : ` (process ${lock.pid})`}; stop that one or set SPILLWAY_DATA_DIR to another folder.`,
      );
    case 'unwritable':
      throw new StartFailure(
        `The data folder ${dataDir} cannot be written (${lock.reason}); make it writable or set SPILLWAY_DATA_DIR to another folder.`,
      );
  }
}
