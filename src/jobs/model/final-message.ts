// What other systems are told when a job of theirs has ended: its result on the results queue, and a copy of a
// dead letter on the dead-letter queue. Both are written by the transaction that ends the job, so that neither is
// forgotten by a crash. Without a broker nobody listens, and nothing is told.

import type { DeadLetter } from '../ports/dead-letter-store.ts';
import type { Announcement } from '../ports/job-queue.ts';
import type { Job, JobResult } from './job.ts';
import { toResultView } from './job-view.ts';

export type FinalQueues = {
  readonly resultsQueue?: string | undefined;
  readonly deadLetterQueue?: string | undefined;
};

export function resultMessage(
  job: Job,
  result: JobResult | undefined,
  { resultsQueue }: FinalQueues,
): readonly Announcement[] {
  if (!resultsQueue || job.origin !== 'queue') return [];
  const { locale = 'en', timeZone = 'UTC', updatedAt: now } = job;
  const body = JSON.stringify(toResultView(job, result, { locale, timeZone, now }));
  // Organisations may use the same ids, and a retried job ends twice: ours is unique. A relay to a broker names the
  // message after the `id` in its body.
  const message = { id: `${job.id}.${job.fence}`, body };
  return [{ queue: resultsQueue, message, isUnordered: true }];
}

export function deadLetterCopy(
  letter: DeadLetter,
  deadLetterQueue: string | undefined,
): readonly Announcement[] {
  if (!deadLetterQueue) return [];
  const { errorCode: code, errorMessage: message, createdAt: timestamp, attempts, queue } = letter;
  const error = { code, message, timestamp, attempts, queue };
  const body = JSON.stringify({ ...fieldsOf(letter.body), error });
  return [{ queue: deadLetterQueue, message: { id: letter.id, body }, isUnordered: true }];
}

/** What was no object cannot be spread; it is kept as it came. */
function fieldsOf(body: string): object {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // Falls through: a message that is not JSON is a dead letter for exactly that reason.
  }
  return { body };
}
