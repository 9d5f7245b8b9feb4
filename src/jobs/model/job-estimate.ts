// A waiting job's position and the times at which it is expected to start and to finish, computed from the number of
// jobs ahead, the average run and the provider's limit. The average is learnt from this process's own runs, per
// provider; before the first run it is a fixed guess.

import type { Clock } from '../../kernel/clock.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { Job } from './job.ts';
import { messageFor } from './job-pointer.ts';
import { isWaiting } from './job-state.ts';

export type JobEstimate = {
  /** 1 is next. */
  readonly position?: number | undefined;
  readonly estimatedStartAt?: number | undefined;
  readonly estimatedFinishAt?: number | undefined;
};

export type Throughput = {
  readonly averageRunMs: number;
  /** Concurrent runs in the whole cluster. */
  readonly concurrency: number;
  /** The provider's limit; absent if it has none. */
  readonly perMinute?: number | undefined;
};

export type JobEstimatorParts = {
  readonly queue: Pick<JobQueue, 'ahead'>;
  readonly clock: Clock;
  readonly durations: Pick<RunDurations, 'averageRunMs'>;
  capacityOf(provider: string | undefined): Omit<Throughput, 'averageRunMs'>;
};

export function createJobEstimator(parts: JobEstimatorParts): (job: Job) => Promise<JobEstimate> {
  return async (job) => {
    const ahead = isWaiting(job.state)
      ? await parts.queue.ahead(job.queue, messageFor(job).id)
      : undefined;
    const averageRunMs = parts.durations.averageRunMs(job.provider);
    const throughput = { ...parts.capacityOf(job.provider), averageRunMs };
    return estimateJob(job, ahead, throughput, parts.clock.now());
  };
}

export function estimateJob(
  job: Pick<Job, 'state' | 'runAt' | 'startedAt'>,
  ahead: number | undefined,
  throughput: Throughput,
  now: number,
): JobEstimate {
  const { averageRunMs } = throughput;
  if (job.state === 'running')
    return { estimatedFinishAt: Math.max(now, (job.startedAt ?? now) + averageRunMs) };
  if (!isWaiting(job.state)) return {};
  const estimatedStartAt =
    Math.max(job.runAt, now) + Math.ceil((ahead ?? 0) * msPerJob(throughput));
  return {
    ...(ahead !== undefined && { position: ahead + 1 }),
    estimatedStartAt,
    estimatedFinishAt: estimatedStartAt + Math.ceil(averageRunMs),
  };
}

const MINUTE_MS = 60_000;

/** The slower of the workers and the provider's limit decides. */
function msPerJob({ averageRunMs, concurrency, perMinute }: Throughput): number {
  const byWorkers = averageRunMs / Math.max(1, concurrency);
  const byLimit = perMinute ? MINUTE_MS / perMinute : 0;
  return Math.max(byWorkers, byLimit);
}

/** Moving averages of how long runs take, per provider. */
export type RunDurations = {
  observe(provider: string | undefined, durationMs: number): void;
  averageRunMs(provider: string | undefined): number;
};

const FIRST_GUESS_MS = 5000;
const WEIGHT_OF_LATEST = 0.1;

export function createRunDurations(): RunDurations {
  const averages = new Map<string, number>();
  let overall: number | undefined;

  function blend(average: number | undefined, latest: number): number {
    return average === undefined ? latest : average + (latest - average) * WEIGHT_OF_LATEST;
  }

  return {
    observe(provider, durationMs) {
      overall = blend(overall, durationMs);
      if (provider !== undefined) averages.set(provider, blend(averages.get(provider), durationMs));
    },
    averageRunMs: (provider) => averages.get(provider ?? '') ?? overall ?? FIRST_GUESS_MS,
  };
}
