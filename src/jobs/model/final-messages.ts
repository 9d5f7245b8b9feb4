// The messages of a job's last move: its result for the results queue, its callback, the copy of its dead letter. Every
// way a job can end goes through `withFinalMessages`, and the messages commit with the move, so a crash loses none.
// Without a broker there is neither a results queue nor a dead-letter queue, and only the callback is written.

import type { Verdict } from '../../errors/codes.ts';
import type { DeadLetter } from '../ports/dead-letter-store.ts';
import type { OutboxMessage } from '../ports/job-queue.ts';
import type { JobMove } from '../ports/job-store.ts';
import { parseFields } from './body-fields.ts';
import type { Job, JobResult } from './job.ts';
import type { JobMessage } from './job-message.ts';
import { messageFor } from './job-pointer.ts';
import { resultBody } from './result-message.ts';

export type FinalQueues = {
  readonly resultsQueue?: string | undefined;
  readonly deadLetterQueue?: string | undefined;
  /** False publishes only successes to the results queue; every failure then goes to the dead-letter queue. */
  readonly includesFailures?: boolean | undefined;
};

/** Always a queue of the store, even with a broker: no other system reads it. */
export const CALLBACK_QUEUE = 'spillway-callbacks';

/** `message` is the job's submitted message; only jobs of other systems need it. */
export function withFinalMessages(
  move: JobMove,
  queues: FinalQueues,
  message: JobMessage | undefined,
): JobMove {
  const { moved, result } = move;
  const ended: EndedJob = { job: moved, result, message };
  const letter = move.deadLetter ?? unpublishedFailure(ended, queues);
  const copy = letter ? deadLetterCopy(letter, queues.deadLetterQueue, moved.provider) : [];
  return { ...move, outbox: [...resultMessage(ended, queues), ...callbackMessage(moved), ...copy] };
}

/** Whether the final messages of the job need its stored message: callers do not read queues. */
export function needsMessage({ origin }: Pick<Job, 'origin'>, queues: FinalQueues): boolean {
  return origin === 'queue' && queues.resultsQueue !== undefined;
}

export type EndedJob = {
  readonly job: Job;
  readonly result: JobResult | undefined;
  readonly message: JobMessage | undefined;
};

/** Only other systems read the results queue; callers use the API and callbacks. */
export function resultMessage(
  { job, result, message: submitted }: EndedJob,
  { resultsQueue, includesFailures = true }: FinalQueues,
): readonly OutboxMessage[] {
  if (!resultsQueue || job.origin !== 'queue') return [];
  if (!includesFailures && job.state !== 'succeeded') return [];
  const body = resultBody(job, result, submitted);
  // Public ids repeat across organisations, and a retried job ends twice; this id is unique. The relay to a broker
  // publishes under the `id` in the body instead.
  const message = { id: `${job.id}.${job.fence}`, body };
  return [{ queue: resultsQueue, message, isUnordered: true }];
}

/** Waits in its organisation's tenant queue, so that one organisation's slow hosts do not delay the others. */
function callbackMessage(job: Job): readonly OutboxMessage[] {
  if (job.callbackUrl === undefined) return [];
  const { id, body } = messageFor(job);
  return [{ queue: CALLBACK_QUEUE, message: { id, body, tenant: job.organizationId } }];
}

/** A failure that is no dead letter, as its copy on the dead-letter queue: the results queue does not get it. */
function unpublishedFailure(
  { job, message }: EndedJob,
  { includesFailures = true }: FinalQueues,
): DeadLetter | undefined {
  const { origin, state, error, updatedAt } = job;
  if (includesFailures || origin !== 'queue' || !error) return undefined;
  const isFailure = state === 'failed' || state === 'expired';
  return isFailure ? deadLetterOf(job, message, { verdict: error }, updatedAt) : undefined;
}

/** The dead letter of a failed job: the submitted message and the reason. */
export function deadLetterOf(
  job: Job,
  message: JobMessage | undefined,
  failure: { readonly verdict: Verdict; readonly internalMessage?: string | undefined },
  createdAt: number,
): DeadLetter {
  const { publicId, organizationId } = job;
  const { source: _, inBody: __, ...submitted } = message ?? {};
  const fields = { ...submitted, id: publicId, AnalysisId: publicId, organizationId };
  return {
    id: `${job.id}.${job.fence}`,
    jobId: job.id,
    organizationId,
    queue: job.queue,
    body: message?.source?.body ?? JSON.stringify(fields),
    errorCode: failure.verdict.code,
    errorMessage: failure.internalMessage ?? failure.verdict.code,
    attempts: job.attempts,
    createdAt,
  };
}

/** The fields of the message and `error`. A body without fields is copied as text under `body`. */
export function deadLetterCopy(
  letter: DeadLetter,
  deadLetterQueue: string | undefined,
  provider?: string,
): readonly OutboxMessage[] {
  if (!deadLetterQueue) return [];
  const { errorCode: code, errorMessage: message, attempts, queue } = letter;
  const timestamp = new Date(letter.createdAt).toISOString();
  const error = { code, message, timestamp, attempts, provider, queue };
  const { body: text } = letter;
  const body = JSON.stringify({ ...(parseFields(text) ?? { body: text }), error });
  return [{ queue: deadLetterQueue, message: { id: letter.id, body }, isUnordered: true }];
}
