// Opens the durable store the configuration names and gives its ports. Embedded: one SQLite file in the data
// folder, which one process at a time may use.

import { join } from 'node:path';
import { createAuditLog } from '../adapters/sql/audit-log.ts';
import { createKeyStore } from '../adapters/sql/key-store.ts';
import { createOrganizationStore } from '../adapters/sql/organization-store.ts';
import { loadStoreIdentity, type StoreIdentity } from '../adapters/sql/store-identity.ts';
import { lockFolder } from '../adapters/sqlite/folder-lock.ts';
import { openSqlite } from '../adapters/sqlite/open-sqlite.ts';
import { createSqliteUsageStore } from '../adapters/sqlite/usage-store.ts';
import type { AuditLog } from '../admission/audit-log.ts';
import type { KeyStore } from '../admission/key-store.ts';
import type { OrganizationStore } from '../admission/organization-store.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Lifecycle } from '../kernel/lifecycle.ts';
import type { UsageStore } from '../metering/usage-store.ts';
import { StartFailure } from './start-failure.ts';

export type Store = {
  readonly identity: StoreIdentity;
  readonly keys: KeyStore;
  readonly organizations: OrganizationStore;
  readonly usage: UsageStore;
  readonly audit: AuditLog;
};

export async function openStore(
  dataDir: string,
  clock: Clock,
  lifecycle: Lifecycle,
): Promise<Store> {
  holdFolder(dataDir, lifecycle);
  const sqlite = await openSqlite(join(dataDir, 'spillway.db'));
  lifecycle.onClose('store', () => sqlite.close());
  return {
    identity: await loadStoreIdentity(sqlite.db, clock.now()),
    keys: createKeyStore(sqlite.db),
    organizations: createOrganizationStore(sqlite.db),
    usage: createSqliteUsageStore(sqlite),
    audit: createAuditLog(sqlite.db),
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
