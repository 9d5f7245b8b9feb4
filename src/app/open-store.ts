// Opens the durable store the configuration names and gives its ports. Embedded: one SQLite file in the data
// folder, which one process at a time may use.

import { join } from 'node:path';
import { createAuditLog } from '../adapters/sql/audit-log.ts';
import { createDeadLetterStore } from '../adapters/sql/dead-letter-store.ts';
import { createJobHistory } from '../adapters/sql/job-history.ts';
import { createJobQueue } from '../adapters/sql/job-queue.ts';
import { createJobStore } from '../adapters/sql/job-store.ts';
import { createKeyStore } from '../adapters/sql/key-store.ts';
import { createOrganizationStore } from '../adapters/sql/organization-store.ts';
import { createQueueSignals } from '../adapters/sql/queue-signals.ts';
import { loadStoreIdentity, type StoreIdentity } from '../adapters/sql/store-identity.ts';
import { takeOverStore } from '../adapters/sql/take-over.ts';
import { lockFolder } from '../adapters/sqlite/folder-lock.ts';
import { openSqlite } from '../adapters/sqlite/open-sqlite.ts';
import { createSqliteUsageStore } from '../adapters/sqlite/usage-store.ts';
import type { AuditLog } from '../admission/audit-log.ts';
import type { KeyStore } from '../admission/key-store.ts';
import type { OrganizationStore } from '../admission/organization-store.ts';
import type { DeadLetterStore } from '../jobs/dead-letter-store.ts';
import type { JobHistory } from '../jobs/job-history.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { Lifecycle } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import type { UsageStore } from '../metering/usage-store.ts';
import { StartFailure } from './start-failure.ts';

export type Store = {
  readonly identity: StoreIdentity;
  readonly keys: KeyStore;
  readonly organizations: OrganizationStore;
  readonly usage: UsageStore;
  readonly audit: AuditLog;
  readonly jobs: JobStore;
  readonly history: JobHistory;
  readonly deadLetters: DeadLetterStore;
  readonly queue: JobQueue;
};

export type StoreParts = {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

/** The folder must be held already: the store belongs to this process alone. */
export async function openStore({ dataDir, clock, log, lifecycle }: StoreParts): Promise<Store> {
  const sqlite = await openSqlite(join(dataDir, 'spillway.db'));
  lifecycle.onClose('store', () => sqlite.close());
  const { db, dialect } = sqlite;
  await takeOverStore(db, clock.now());
  const signals = createQueueSignals();
  const queue = createJobQueue({ db, dialect, signals, clock, log, newId });
  lifecycle.onClose('queue', () => queue.close());
  return {
    identity: await loadStoreIdentity(db, clock.now()),
    keys: createKeyStore(db),
    organizations: createOrganizationStore(db),
    usage: createSqliteUsageStore(sqlite),
    audit: createAuditLog(db),
    jobs: createJobStore({ db, signals }),
    history: createJobHistory(db),
    deadLetters: createDeadLetterStore(db, signals),
    queue,
  };
}

/** One process per data folder: two would each believe that the limits and the journal are theirs. */
export function holdFolder(dataDir: string, lifecycle: Lifecycle): void {
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
