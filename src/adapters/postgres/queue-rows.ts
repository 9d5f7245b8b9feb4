// Messages that are put on queues together with jobs, as rows for the functions of the store, which give them their turns by
// the rules of sql/queue-table.ts. One that a consumer of this process keeps a place for is leased to it from the beginning.

import type { Announcement } from '../../jobs/job-queue.ts';
import type { QueueSignals, ReservedPlace } from '../sql/queue-signals.ts';
import type { LongTexts } from './long-texts.ts';

/** What is announced with a job. */
export type PlacedAnnouncement = Announcement & {
  readonly jobId: string;
  readonly at: number;
  readonly place: ReservedPlace | undefined;
};

/** Only what has no turn to wait for and no moment to wait for can be anybody's at once. */
export function placed(
  announced: readonly Announcement[],
  { jobId, at }: { readonly jobId: string; readonly at: number },
  signals: Pick<QueueSignals, 'reservePlace'>,
): readonly PlacedAnnouncement[] {
  return announced.map((each) => {
    const isForAnybody = each.isUnordered === true && each.delayMs === undefined;
    const place = isForAnybody ? signals.reservePlace(each.queue) : undefined;
    return { ...each, jobId, at, place };
  });
}

/** After the commit: each goes to who kept a place for it; of the others the consumers are told, once for each queue. */
export function handOver(
  announced: readonly PlacedAnnouncement[],
  isWritten: (jobId: string) => boolean,
  signals: Pick<QueueSignals, 'notify'>,
): void {
  const queues = new Set<string>();
  for (const { jobId, queue, place, message } of announced) {
    if (!isWritten(jobId)) place?.leave();
    else if (place) place.take({ id: message.id, body: message.body, deliveries: 1 });
    else queues.add(queue);
  }
  for (const queue of queues) signals.notify(queue);
}

export function announcementRows(
  announced: readonly PlacedAnnouncement[],
  texts: LongTexts,
): readonly object[] {
  return announced.map(({ jobId, at, queue, message, delayMs = 0, place }, index) => ({
    for_job: jobId,
    place: index,
    to_queue: queue,
    message_id: message.id,
    text_at: texts.add(message.body),
    in_lane: message.lane ?? '',
    urgency: message.priority ?? 0,
    seen_at: at + delayMs,
    put_at: at,
    ...standing(delayMs, at, place),
  }));
}

function standing(delayMs: number, at: number, place: ReservedPlace | undefined) {
  if (place) return { stands: 'leased', times: 1, owner: place.owner, until: at + place.leaseMs };
  return { stands: delayMs > 0 ? 'waiting' : 'ready', times: 0 };
}
