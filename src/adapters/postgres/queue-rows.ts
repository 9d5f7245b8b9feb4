// Messages that are put on queues together with jobs, as rows for the functions of the store, which give them their turns by
// the rules of sql/queue-table.ts.

import type { Announcement } from '../../jobs/job-queue.ts';
import type { LongTexts } from './long-texts.ts';

/** What is announced with a job, and when. */
export type JobAnnouncement = Announcement & { readonly jobId: string; readonly at: number };

export function announcedWith(
  { jobId, at }: { readonly jobId: string; readonly at: number },
  announced: readonly Announcement[] = [],
): readonly JobAnnouncement[] {
  return announced.map((each) => ({ ...each, jobId, at }));
}

export function announcementRows(
  announced: readonly JobAnnouncement[],
  texts: LongTexts,
): readonly object[] {
  return announced.map(({ jobId, at, queue, message, delayMs = 0 }, index) => ({
    for_job: jobId,
    place: index,
    to_queue: queue,
    message_id: message.id,
    text_at: texts.add(message.body),
    in_lane: message.lane ?? '',
    urgency: message.priority ?? 0,
    stands: delayMs > 0 ? 'waiting' : 'ready',
    seen_at: at + delayMs,
    put_at: at,
  }));
}
