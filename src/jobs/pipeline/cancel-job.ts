// Cancels a job for its owner, waiting or running. A finished job stays as it is: cancelling it twice, or too late,
// is no error. A running call is aborted here at once, elsewhere when its worker renews its lease.

import type { Clock } from '../../kernel/clock.ts';
import type { FinalQueues } from '../model/final-message.ts';
import type { Job } from '../model/job.ts';
import { cancelled } from '../model/job-moves.ts';
import { isFinal } from '../model/job-state.ts';
import type { JobStore } from '../ports/job-store.ts';
import { ending } from './end-job.ts';
import type { RunningJobs } from './running-jobs.ts';

export type CancelParts = {
  readonly store: Pick<JobStore, 'find' | 'move'>;
  readonly running: Pick<RunningJobs, 'stop'>;
  readonly clock: Clock;
  readonly queues: FinalQueues;
};

/** Undefined when the organisation has no such job. */
export type CancelJob = (organizationId: string, publicId: string) => Promise<Job | undefined>;

export function createCancelJob({ store, running, clock, queues }: CancelParts): CancelJob {
  return async (organizationId, publicId) => {
    // A job can move between the look and the move; it moves a bounded number of times before it is final.
    for (;;) {
      const job = await store.find({ organizationId, publicId });
      if (!job || isFinal(job.state)) return job;
      const moved = await store.move(ending(cancelled(job, clock.now()), queues));
      if (!moved) continue;
      running.stop(job.id, 'cancelled');
      return moved;
    }
  };
}
