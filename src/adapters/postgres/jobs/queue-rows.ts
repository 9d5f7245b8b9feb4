// Messages that are put on queues together with jobs, as rows for the functions of the store, which give them their turns by
// the rules of sql/queue-table.ts.

import type { OutboxMessage } from '../../../jobs/ports/job-queue.ts';
import type { CompositeValue } from '../statements/composite-array.ts';
import type { LongTexts } from '../statements/long-texts.ts';

/** What is outbox with a job, and when. */
export type JobOutboxMessage = OutboxMessage & { readonly jobId: string; readonly at: number };

export function announcedWith(
  { jobId, at }: { readonly jobId: string; readonly at: number },
  outbox: readonly OutboxMessage[] = [],
): readonly JobOutboxMessage[] {
  return outbox.map((each) => ({ ...each, jobId, at }));
}

/** Rows of `job_message`. */
export function announcementRows(
  outbox: readonly JobOutboxMessage[],
  texts: LongTexts,
): readonly (readonly CompositeValue[])[] {
  return outbox.map(({ jobId, at, queue, message, delayMs = 0 }, place) => [
    jobId,
    place,
    queue,
    message.id,
    texts.add(message.body),
    message.tenant ?? '',
    message.priority ?? 0,
    delayMs > 0 ? 'waiting' : 'ready',
    at + delayMs,
    at,
  ]);
}
