// The messages of a job's last move: its result for the results queue, its callback, the copy of its dead letter. Every
// way a job can end goes through `withFinalMessages`, and the messages commit with the move, so a crash loses none.
// Without a broker there are no results and dead-letter queues to publish to, and only the callback is written.

import type { Verdict } from '../../errors/codes.ts';
import { isNestedTooDeeply } from '../../kernel/json-depth.ts';
import type { DeadLetter } from '../ports/dead-letter-store.ts';
import type { OutboxMessage } from '../ports/job-queue.ts';
import type { JobMove } from '../ports/job-store.ts';
import type { Job, JobResult } from './job.ts';
import type { JobMessage } from './job-message.ts';
import { messageFor } from './job-pointer.ts';
import { toResultView } from './job-view.ts';

export type FinalQueues = {
  readonly resultsQueue?: string | undefined;
  readonly deadLetterQueue?: string | undefined;
};

/** Always on the store's own queue, also beside a broker: no other system reads it. */
export const CALLBACK_QUEUE = 'spillway-callbacks';

export function withFinalMessages(move: JobMove, queues: FinalQueues): JobMove {
  const { moved, result, deadLetter } = move;
  const copy = deadLetter ? deadLetterCopy(deadLetter, queues.deadLetterQueue) : [];
  const outbox = [...resultMessage(moved, result, queues), ...callbackMessage(moved), ...copy];
  return { ...move, outbox };
}

/** Only other systems read the results queue; callers use the API and callbacks. */
export function resultMessage(
  job: Job,
  result: JobResult | undefined,
  { resultsQueue }: FinalQueues,
): readonly OutboxMessage[] {
  if (!resultsQueue || job.origin !== 'queue') return [];
  const { locale = 'en', timeZone = 'UTC', updatedAt: now } = job;
  const body = JSON.stringify(toResultView(job, result, { locale, timeZone, now }));
  // Public ids repeat across organisations, and a retried job ends twice; this id is unique. The relay to a broker
  // replaces it by the `id` in the body.
  const message = { id: `${job.id}.${job.fence}`, body };
  return [{ queue: resultsQueue, message, isUnordered: true }];
}

/** Waits in its organisation's tenant queue, so that one organisation's slow hosts do not delay the others. */
function callbackMessage(job: Job): readonly OutboxMessage[] {
  if (job.callbackUrl === undefined) return [];
  const { id, body } = messageFor(job);
  return [{ queue: CALLBACK_QUEUE, message: { id, body, tenant: job.organizationId } }];
}

/** The dead letter of a failed job: the submitted fields and the reason. */
export function deadLetterOf(
  job: Job,
  message: JobMessage | undefined,
  failure: { readonly verdict: Verdict; readonly internalMessage?: string | undefined },
  createdAt: number,
): DeadLetter {
  const { publicId, organizationId } = job;
  const fields = { ...message, id: publicId, AnalysisId: publicId, organizationId };
  return {
    id: `${job.id}.${job.fence}`,
    jobId: job.id,
    organizationId,
    queue: job.queue,
    body: JSON.stringify(fields),
    errorCode: failure.verdict.code,
    errorMessage: failure.internalMessage ?? failure.verdict.code,
    attempts: job.attempts,
    createdAt,
  };
}

export function deadLetterCopy(
  letter: DeadLetter,
  deadLetterQueue: string | undefined,
): readonly OutboxMessage[] {
  if (!deadLetterQueue) return [];
  const { errorCode: code, errorMessage: message, createdAt: timestamp, attempts, queue } = letter;
  const error = { code, message, timestamp, attempts, queue };
  const body = JSON.stringify({ ...fieldsOf(letter.body), error });
  return [{ queue: deadLetterQueue, message: { id: letter.id, body }, isUnordered: true }];
}

/** A body that is not a JSON object, or is nested too deeply to be written again, is copied as text under `body`. */
function fieldsOf(body: string): object {
  if (isNestedTooDeeply(body)) return { body };
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // Not JSON: often the very reason why the message is a dead letter.
  }
  return { body };
}
