// Messages that are put on queues together with jobs, as rows for the functions of the store, which give them their turns by
// the rules of sql/queue-table.ts.

import type { Announcement } from '../../../jobs/ports/job-queue.ts';
import type { LongTexts } from '../statements/long-texts.ts';
import type { RecordValue } from '../statements/record-rows.ts';

/** What is announced with a job, and when. */
export type JobAnnouncement = Announcement & { readonly jobId: string; readonly at: number };

export function announcedWith(
  { jobId, at }: { readonly jobId: string; readonly at: number },
  announced: readonly Announcement[] = [],
): readonly JobAnnouncement[] {
  return announced.map((each) => ({ ...each, jobId, at }));
}

/** Rows of `job_message`. */
export function announcementRows(
  announced: readonly JobAnnouncement[],
  texts: LongTexts,
): readonly (readonly RecordValue[])[] {
  return announced.map(({ jobId, at, queue, message, delayMs = 0 }, place) => [
    jobId,
    place,
    queue,
    message.id,
    texts.add(message.body),
    message.lane ?? '',
    message.priority ?? 0,
    delayMs > 0 ? 'waiting' : 'ready',
    at + delayMs,
    at,
  ]);
}
