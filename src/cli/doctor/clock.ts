// Can this machine's clock be right? What is stored cannot be newer than now; when it is, the clock went back, and
// limits, budgets and leases would be judged by the wrong time.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type DoctorCheck, failed, type Ground, ok } from './check.ts';

/** Clocks of two machines that share a disk may differ a little. */
const TOLERANCE_MS = 60_000;

export const clockCheck: DoctorCheck = {
  name: 'clock',
  async look(ground) {
    const newestAt = Math.max(
      newestFileAt(ground.config.storage.dataDir),
      await newestRowAt(ground),
    );
    const aheadMs = newestAt - ground.now;
    if (aheadMs <= TOLERANCE_MS) return [ok('The clock is not behind anything that was stored.')];
    return [
      failed(
        `The clock is ${Math.round(aheadMs / 1000)} s behind the newest thing that was stored.`,
        'Set the clock of this machine, best by a time service such as chrony or systemd-timesyncd.',
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

/** A store that cannot be read is told by its own check. */
async function newestRowAt({ config }: Ground): Promise<number> {
  if (config.storage.databaseUrl !== undefined) return 0;
  try {
    const { inspectStore } = await import('../../app/inspect/inspect-store.ts');
    return (await inspectStore(config)).newestAt ?? 0;
  } catch {
    return 0;
  }
}
