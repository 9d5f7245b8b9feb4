// Brings the embedded store up to date, as its server would when it starts, and tells what was run.

import type { Config } from '../config/config.ts';
import { systemClock } from '../kernel/clock.ts';
import { createLifecycle } from '../kernel/lifecycle.ts';
import { silentLog } from '../kernel/log.ts';
import { inspectStore } from './inspect-store.ts';
import { holdFolder, openStore } from './open-store.ts';

/** Names of the migrations that were run, oldest first. */
export async function migrateStore(config: Config): Promise<readonly string[]> {
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
