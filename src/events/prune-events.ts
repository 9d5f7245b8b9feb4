// Deletes build events after their retention time, every ten minutes and in batches, so that readers and writers do not
// wait for it. Several processes may prune at once. While the store is unavailable the run is logged and skipped.

import type { Clock } from '../kernel/clock.ts';
import { every, type Repetition } from '../kernel/every.ts';
import { type Log, logFailure } from '../kernel/log.ts';
import type { BuildEventStore } from './build-event-store.ts';

export type PruneParts = {
  readonly store: Pick<BuildEventStore, 'prune'>;
  readonly keptMs: number;
  readonly clock: Clock;
  readonly log: Log;
};

const INTERVAL_MS = 600_000;
const BATCH_SIZE = 500;

export function startEventPruning(parts: PruneParts): Repetition {
  const { clock, log } = parts;
  return every(
    clock,
    INTERVAL_MS,
    (closing) => pruneAll(parts, closing),
    (cause) => {
      const message = 'old build events could not be deleted; the next run tries again';
      logFailure(log, message, cause, { level: 'warn' });
    },
  );
}

async function pruneAll({ store, keptMs, clock }: PruneParts, closing: AbortSignal): Promise<void> {
  let deleted = BATCH_SIZE;
  while (deleted === BATCH_SIZE && !closing.aborted)
    deleted = await store.prune(clock.now() - keptMs, BATCH_SIZE);
}
