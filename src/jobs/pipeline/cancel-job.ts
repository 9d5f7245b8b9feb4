// Cancels a waiting or running job for its owner. A finished job stays as it is: cancelling it twice or too late is not
// an error. A call in this process is aborted immediately, a call elsewhere when its worker next renews its lease.

import type { Clock } from '../../kernel/clock.ts';
import { type FinalQueues, needsMessage, withFinalMessages } from '../model/final-messages.ts';
import type { Job } from '../model/job.ts';
import { cancelled } from '../model/job-moves.ts';
import { isFinal } from '../model/job-state.ts';
import type { JobStore } from '../ports/job-store.ts';
import type { RunningJobs } from './running-jobs.ts';

export type CancelParts = {
  readonly store: Pick<JobStore, 'find' | 'move' | 'message'>;
  readonly running: Pick<RunningJobs, 'stop'>;
  readonly clock: Clock;
  readonly queues: FinalQueues;
};

/** Undefined if the organisation has no such job. */
export type CancelJob = (organizationId: string, publicId: string) => Promise<Job | undefined>;

export function createCancelJob({ store, running, clock, queues }: CancelParts): CancelJob {
  return async (organizationId, publicId) => {
    // The job can move between the read and the move; a job moves a bounded number of times before it is final.
    for (;;) {
      const job = await store.find({ organizationId, publicId });
      if (!job || isFinal(job.state)) return job;
      const message = needsMessage(job, queues) ? await store.message(job.id) : undefined;
      const move = cancelled(job, clock.now());
      const moved = await store.move(withFinalMessages(move, queues, message));
      if (!moved) continue;
      running.stop(job.id, 'cancelled');
      return moved;
    }
  };
}
