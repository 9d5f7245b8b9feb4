// Checks that the clock of this machine is not behind stored timestamps. A clock that was set back would judge limits,
// budgets and leases by the wrong time.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckContext, type DoctorCheck, failed, ok } from './check.ts';

/** The clocks of two machines that share a disk may differ. */
const TOLERANCE_MS = 60_000;

export const clockCheck: DoctorCheck = {
  name: 'clock',
  async inspect(checkContext) {
    const newestAt = Math.max(
      newestFileAt(checkContext.config.storage.dataDir),
      await newestRowAt(checkContext),
    );
    const aheadMs = newestAt - checkContext.now;
    if (aheadMs <= TOLERANCE_MS) return [ok('The clock is not behind the stored timestamps.')];
    return [
      failed(
        `The clock is ${Math.round(aheadMs / 1000)} s behind the newest stored timestamp.`,
        'Set the clock of this machine, preferably with chrony or systemd-timesyncd.',
      ),
    ];
  },
};

function newestFileAt(dataDir: string): number {
  try {
    const names = readdirSync(dataDir);
    return Math.max(0, ...names.map((name) => statSync(join(dataDir, name)).mtimeMs));
  } catch {
    return 0;
  }
}

/** The store check reports an unreadable store. */
async function newestRowAt({ config }: CheckContext): Promise<number> {
  if (config.storage.databaseUrl !== undefined) return 0;
  try {
    const { inspectStore } = await import('../../app/inspect/inspect-store.ts');
    return (await inspectStore(config)).newestAt ?? 0;
  } catch {
    return 0;
  }
}
