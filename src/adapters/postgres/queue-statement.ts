// Putting messages on queues as part of a larger statement, with the same rule for their turns as queue-table.ts.

import type { Announcement } from '../../jobs/job-queue.ts';
import type { StatementText } from './statement-text.ts';

/** What is announced with a job. */
export type JobAnnouncement = Announcement & { readonly jobId: string; readonly at: number };

/** For those jobs that are rows of the part `from`. */
export function announce(
  statement: StatementText,
  from: string,
  announcements: readonly JobAnnouncement[],
): void {
  const unordered = announcements.filter(({ isUnordered }) => isUnordered);
  if (unordered.length > 0) announceUnordered(statement, from, unordered);
  const ordered = announcements.filter(({ isUnordered }) => !isUnordered);
  if (ordered.length > 0) announceInTurn(statement, from, ordered);
}

const MESSAGE = `message (for_job text, place integer, to_queue text, message_id text, body text, in_lane text,
  priority integer, status text, visible_at bigint, published_at bigint)`;
const COLUMNS =
  'queue, id, body, lane, priority, tag, status, visible_at, deliveries, published_at';

function headOf(queue: string): string {
  return `coalesce((select head_tag from queue_heads where queue_heads.queue = ${queue}), 0)`;
}

/** The row of a lane is locked until the commit: those who need no turn of their own do not queue up for it. */
function announceUnordered(
  statement: StatementText,
  from: string,
  announcements: readonly JobAnnouncement[],
): void {
  statement.part(
    'announced',
    `insert into queue_messages (${COLUMNS})
     select to_queue, message_id, body, in_lane, message.priority, ${headOf('to_queue')}, status,
       visible_at, 0, message.published_at
     from ${from} join ${statement.rows(announcements.map(toRow), MESSAGE)} on for_job = ${from}.id
     on conflict (queue, id) do nothing`,
  );
}

/** Each lane is given as many tags in a row as it has messages here; always in the same order of lanes. */
function announceInTurn(
  statement: StatementText,
  from: string,
  announcements: readonly JobAnnouncement[],
): void {
  statement.part(
    'in_turn',
    `select to_queue, message_id, body, in_lane, message.priority, status, visible_at, message.published_at,
       row_number() over (partition by to_queue, in_lane order by place) as nth
     from ${from} join ${statement.rows(announcements.map(toRow), MESSAGE)} on for_job = ${from}.id`,
  );
  statement.part(
    'wish',
    `select to_queue, in_lane, max(nth) as turns, ${headOf('to_queue')} as head from in_turn
     group by to_queue, in_lane order by to_queue, in_lane`,
  );
  statement.part(
    'turn',
    `insert into queue_lanes as known (queue, lane, last_tag)
     select to_queue, in_lane, head + turns - 1 from wish
     on conflict (queue, lane) do update set last_tag = (
       select greatest(known.last_tag + 1, head) + turns - 1 from wish
       where to_queue = excluded.queue and in_lane = excluded.lane)
     returning queue, lane, last_tag`,
  );
  statement.part(
    'announced_in_turn',
    `insert into queue_messages (${COLUMNS})
     select to_queue, message_id, body, in_lane, priority, last_tag - turns + nth, status, visible_at, 0, published_at
     from in_turn join wish using (to_queue, in_lane) join turn on queue = to_queue and lane = in_lane
     on conflict (queue, id) do nothing`,
  );
}

function toRow({ jobId, at, queue, message, delayMs = 0 }: JobAnnouncement, place: number) {
  return {
    for_job: jobId,
    place,
    to_queue: queue,
    message_id: message.id,
    body: message.body,
    in_lane: message.lane ?? '',
    priority: message.priority ?? 0,
    status: delayMs > 0 ? 'waiting' : 'ready',
    visible_at: at + delayMs,
    published_at: at,
  };
}
