// Inspects the embedded store for `doctor` and `migrate`, without opening it for use.

import { join } from 'node:path';
import { inspectSqlite, type StoreInspection } from '../../adapters/sqlite/inspect-sqlite.ts';
import type { Config } from '../../config/config.ts';

export type { StoreInspection };

/** Embedded storage only. */
export function inspectStore({ storage }: Config): Promise<StoreInspection> {
  return inspectSqlite(join(storage.dataDir, 'spillway.db'));
}
