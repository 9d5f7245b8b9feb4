// What can be said about a job's future: its place in the queue it waits in, and from that when it is expected. The
// pace is learnt from the runs this process has seen, per provider; before the first it is a plain guess.

import type { Clock } from '../../kernel/clock.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import { estimateJob, type JobPace } from './estimate-job.ts';
import type { Job } from './job.ts';
import { messageFor } from './job-pointer.ts';
import { isWaiting } from './job-state.ts';
import type { JobOutlook } from './job-view.ts';

export type JobOutlookParts = {
  readonly queue: Pick<JobQueue, 'ahead'>;
  readonly clock: Clock;
  readonly paces: Pick<JobPaces, 'averageRunMs'>;
  /** How many jobs of a provider run at once, and how many per minute its limit lets through. */
  capacityOf(provider: string | undefined): Omit<JobPace, 'averageRunMs'>;
};

export function createJobOutlook(parts: JobOutlookParts): (job: Job) => Promise<JobOutlook> {
  return async (job) => {
    const ahead = isWaiting(job.state)
      ? await parts.queue.ahead(job.queue, messageFor(job).id)
      : undefined;
    const averageRunMs = parts.paces.averageRunMs(job.provider);
    const pace = { ...parts.capacityOf(job.provider), averageRunMs };
    return estimateJob(job, ahead, pace, parts.clock.now());
  };
}

export type JobPaces = {
  observe(provider: string | undefined, durationMs: number): void;
  averageRunMs(provider: string | undefined): number;
};

const FIRST_GUESS_MS = 5000;
const WEIGHT_OF_LATEST = 0.1;

export function createJobPaces(): JobPaces {
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
