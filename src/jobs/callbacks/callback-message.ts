// That a job's owner has to be called back, as a message of the transaction that ends the job: it cannot be forgotten.
// It stays on the store's own queue, also beside a broker, because nobody else has business with it.

import type { Job } from '../model/job.ts';
import { messageFor } from '../model/job-pointer.ts';
import type { Announcement } from '../ports/job-queue.ts';

export const CALLBACK_QUEUE = 'spillway-callbacks';

/** For a job that has just ended. Organisations take turns, so that one with slow hosts does not hold up the others. */
export function callbackMessage(job: Job): readonly Announcement[] {
  if (job.callbackUrl === undefined) return [];
  const { id, body } = messageFor(job);
  return [{ queue: CALLBACK_QUEUE, message: { id, body, lane: job.organizationId } }];
}
