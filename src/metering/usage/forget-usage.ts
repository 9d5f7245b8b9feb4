// Retention: deletes old usage records in small batches, so that other statements of the store are not delayed. Sums and
// budgets stay. Several servers may delete at the same time; each record is deleted once. While the store is unavailable
// the next run tries again.

import { type Clock, sleep } from '../../kernel/clock.ts';
import { every, type Repetition } from '../../kernel/every.ts';
import { type Log, logFailure } from '../../kernel/log.ts';
import type { UsageStore } from './usage-store.ts';

export type ForgetUsageParts = {
  readonly usage: Pick<UsageStore, 'forget'>;
  readonly keptMs: number;
  readonly clock: Clock;
  readonly log: Log;
};

const INTERVAL_MS = 600_000;
const BATCH_ROWS = 500;
const PAUSE_MS = 50;

export function startForgettingUsage({ usage, keptMs, clock, log }: ForgetUsageParts): Repetition {
  async function deleteOld(closing: AbortSignal): Promise<void> {
    const before = clock.now() - keptMs;
    while ((await usage.forget(before, BATCH_ROWS)) === BATCH_ROWS)
      await sleep(clock, PAUSE_MS, closing);
  }

  return every(clock, INTERVAL_MS, deleteOld, (cause) =>
    logFailure(log, 'old usage records were not deleted', cause, { level: 'warn' }),
  );
}
