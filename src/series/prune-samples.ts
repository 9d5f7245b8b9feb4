// Retention: deletes old samples. Every server does it; a row is deleted once. While the store is unavailable the next run
// tries again.

import type { Clock } from '../kernel/clock.ts';
import { every, type Repetition } from '../kernel/every.ts';
import { type Log, logFailure } from '../kernel/log.ts';
import type { SeriesStore } from './series-store.ts';

const INTERVAL_MS = 600_000;

export function startSamplePruning(parts: {
  readonly store: Pick<SeriesStore, 'prune'>;
  readonly keptMs: number;
  readonly clock: Clock;
  readonly log: Log;
}): Repetition {
  const { store, keptMs, clock, log } = parts;
  return every(
    clock,
    INTERVAL_MS,
    async () => void (await store.prune(clock.now() - keptMs)),
    (cause) => logFailure(log, 'old samples were not deleted', cause, { level: 'warn' }),
  );
}
