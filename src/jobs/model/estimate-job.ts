// When a waiting job is expected to start and to finish: an honest guess from how many are ahead, how long such jobs
// take and how fast the provider's limit lets them through. Pure.

import type { Job } from './job.ts';
import type { JobOutlook } from './job-view.ts';

export type JobPace = {
  /** How long one run takes. */
  readonly averageRunMs: number;
  /** How many run at once, in the whole cluster. */
  readonly concurrency: number;
  /** What the provider's limit allows; absent when there is none. */
  readonly perMinute?: number | undefined;
};

const MINUTE_MS = 60_000;

export function estimateJob(
  job: Pick<Job, 'state' | 'runAt' | 'startedAt'>,
  ahead: number | undefined,
  pace: JobPace,
  now: number,
): JobOutlook {
  if (job.state === 'running')
    return { estimatedFinishAt: Math.max(now, (job.startedAt ?? now) + pace.averageRunMs) };
  if (job.state !== 'queued' && job.state !== 'delayed') return {};
  const waitMs = Math.ceil((ahead ?? 0) * Math.max(turnMs(pace), limitMs(pace)));
  const estimatedStartAt = Math.max(job.runAt, now) + waitMs;
  return {
    ...(ahead !== undefined && { position: ahead + 1 }),
    estimatedStartAt,
    estimatedFinishAt: estimatedStartAt + Math.ceil(pace.averageRunMs),
  };
}

function turnMs({ averageRunMs, concurrency }: JobPace): number {
  return averageRunMs / Math.max(1, concurrency);
}

function limitMs({ perMinute }: JobPace): number {
  return perMinute ? MINUTE_MS / perMinute : 0;
}
