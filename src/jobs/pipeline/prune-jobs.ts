// Deletes old jobs and results every ten minutes, in small batches with pauses, so that other statements do not wait for
// it. Several processes may prune at once: each deletes the rows it finds. While the store is unavailable the run is
// logged and skipped.

import { type Clock, sleep } from '../../kernel/clock.ts';
import { every, type Repetition } from '../../kernel/every.ts';
import { type Log, logFailure } from '../../kernel/log.ts';
import type { JobRetention } from '../ports/job-retention.ts';

export type PruneParts = {
  readonly retention: JobRetention;
  readonly jobsMs: number;
  readonly resultsMs: number;
  readonly clock: Clock;
  readonly log: Log;
};

const INTERVAL_MS = 600_000;
const BATCH_SIZE = 200;
const PAUSE_MS = 50;

export function startJobPruning(parts: PruneParts): Repetition {
  const { clock, log } = parts;
  return every(
    clock,
    INTERVAL_MS,
    (closing) => pruneAll(parts, closing),
    (cause) => {
      const message = 'old jobs could not be deleted; the next run tries again';
      logFailure(log, message, cause, { level: 'warn' });
    },
  );
}

async function pruneAll(parts: PruneParts, closing: AbortSignal): Promise<void> {
  const { retention, jobsMs, resultsMs, clock } = parts;
  const now = clock.now();
  await inBatches(parts, closing, () => retention.pruneJobs(now - jobsMs, BATCH_SIZE));
  // A job's result is deleted with the job; this is for results with a shorter retention time.
  if (resultsMs < jobsMs)
    await inBatches(parts, closing, () => retention.pruneResults(now - resultsMs, BATCH_SIZE));
}

async function inBatches(
  { clock }: PruneParts,
  closing: AbortSignal,
  pruneBatch: () => Promise<number>,
): Promise<void> {
  while ((await pruneBatch()) === BATCH_SIZE) await sleep(clock, PAUSE_MS, closing);
}
