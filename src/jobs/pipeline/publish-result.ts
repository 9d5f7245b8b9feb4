// Publishes the result of a job that another system submitted. The worker acknowledges its message after the result is
// on the results queue, so no outbox row is needed: if the worker dies before that, the message is delivered again, and
// the next worker finds the ended job and publishes its result. Results are delivered at least once. A result that the
// broker does not accept goes to the outbox, so that an unavailable broker does not block the worker.

import { type EndedJob, type FinalQueues, resultMessage } from '../model/final-messages.ts';
import type { Job } from '../model/job.ts';
import { isFinal } from '../model/job-state.ts';
import type { JobHistory } from '../ports/job-history.ts';
import type { DeliveryOutcome, JobQueue } from '../ports/job-queue.ts';

export type PublishResult = (ended: EndedJob) => Promise<void>;

export type PublishResultParts = {
  readonly broker: Pick<JobQueue, 'publish'>;
  readonly outbox: Pick<JobQueue, 'publish'>;
  /** Whether the broker is connected, as far as is known. */
  readonly isUp: () => boolean;
  readonly queues: FinalQueues;
};

export function createPublishResult(parts: PublishResultParts): PublishResult {
  const { broker, outbox, isUp, queues } = parts;

  async function isAccepted(queue: string, id: string, body: string): Promise<boolean> {
    if (!isUp()) return false;
    return broker.publish(queue, { id, body }).then(
      () => true,
      () => false,
    );
  }

  return async (ended) => {
    // Readers of the results queue know the job by its public id; the outbox is shared by all organisations and needs
    // the globally unique one.
    for (const { queue, message } of resultMessage(ended, queues))
      if (!(await isAccepted(queue, ended.job.publicId, message.body)))
        await outbox.publish(queue, message);
  };
}

export type Redelivery = Pick<EndedJob, 'job' | 'message'> & {
  readonly history: Pick<JobHistory, 'result'>;
  readonly now: number;
};

/** For a redelivered message of a job that no longer waits: its worker may have died before it published the result. */
export async function republishResult(
  publishResult: PublishResult,
  { job, message, history, now }: Redelivery,
): Promise<DeliveryOutcome> {
  if (job.origin !== 'queue') return 'ack';
  // The worker that runs it may still die before it publishes: this copy is kept until the job has ended.
  if (!isFinal(job.state)) return { retryAfterMs: recheckMs(job, now), isUncounted: true };
  await publishResult({ job, message, result: await history.result(job.id) });
  return 'ack';
}

/** The time the job has been running so far: a short job is checked soon, a long one rarely. */
function recheckMs({ updatedAt: startedAt }: Job, now: number): number {
  return Math.min(Math.max(now - startedAt, MIN_RECHECK_MS), MAX_RECHECK_MS);
}

const MIN_RECHECK_MS = 1000;
const MAX_RECHECK_MS = 60_000;
