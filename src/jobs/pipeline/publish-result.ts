// Tells other systems what came of a job that a worker has in hand. Nothing is written for it beside the result: the
// message that the worker holds is acknowledged after the result is on its queue, and comes again should the worker
// die before. Whoever then gets it finds a job that has ended, and tells of it once more: at least once, never less.
// A result that the broker does not take goes to the outbox, which holds nobody up.

import { type FinalQueues, resultMessage } from '../model/final-message.ts';
import type { Job, JobResult } from '../model/job.ts';
import { isFinal } from '../model/job-state.ts';
import type { JobHistory } from '../ports/job-history.ts';
import type { DeliveryOutcome, JobQueue } from '../ports/job-queue.ts';

export type TellResult = (job: Job, result: JobResult | undefined) => Promise<void>;

export type TellParts = {
  readonly broker: Pick<JobQueue, 'publish'>;
  readonly outbox: Pick<JobQueue, 'publish'>;
  /** Whether the broker can be reached, as far as is known. */
  readonly isUp: () => boolean;
  readonly queues: FinalQueues;
};

export function createTellResult({ broker, outbox, isUp, queues }: TellParts): TellResult {
  async function isTaken(queue: string, id: string, body: string): Promise<boolean> {
    if (!isUp()) return false;
    return broker.publish(queue, { id, body }).then(
      () => true,
      () => false,
    );
  }

  return async (job, result) => {
    // Whoever reads the queue knows the job by the id it gave; in the outbox, which all share, it is known by ours.
    for (const { queue, message } of resultMessage(job, result, queues))
      if (!(await isTaken(queue, job.publicId, message.body))) await outbox.publish(queue, message);
  };
}

export type CameAgain = {
  readonly job: Job;
  readonly history: Pick<JobHistory, 'result'>;
  readonly now: number;
};

/** For a message that came before: who had it may have died between its job's end and telling of it. */
export async function tellAgain(
  tell: TellResult,
  { job, history, now }: CameAgain,
): Promise<DeliveryOutcome> {
  if (job.origin !== 'queue') return 'ack';
  // Whoever runs it may still die just then: this copy is kept for that.
  if (!isFinal(job.state)) return { retryAfterMs: lookAgainMs(job, now), isUncounted: true };
  await tell(job, await history.result(job.id));
  return 'ack';
}

/** As long again as it has been running: soon for one that is about to end, seldom for one that takes long. */
function lookAgainMs({ updatedAt: begunAt }: Job, now: number): number {
  return Math.min(Math.max(now - begunAt, SOONEST_LOOK_MS), LATEST_LOOK_MS);
}

const SOONEST_LOOK_MS = 1000;
const LATEST_LOOK_MS = 60_000;
