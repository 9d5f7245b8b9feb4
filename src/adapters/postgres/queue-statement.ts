// Putting a message on a queue as part of a larger statement, with the same rule for its turn as queue-table.ts.

import type { Announcement } from '../../jobs/job-queue.ts';
import type { StatementText } from './statement-text.ts';

/** For each row of the part `from`, of which there is one or none. */
export function announce(
  statement: StatementText,
  from: string,
  { queue, message, delayMs = 0, isUnordered = false }: Announcement,
  now: number,
): void {
  const place = statement.value(queue, 'text');
  const lane = statement.value(message.lane ?? '', 'text');
  const visibleAt = now + delayMs;
  const head = `coalesce((select head_tag from queue_heads where queue = ${place}), 0)`;
  // The row of a lane is locked until the commit: those who need no turn of their own do not queue up for it.
  const ownTurn = `insert into queue_lanes as known (queue, lane, last_tag)
     select ${place}, ${lane}, ${head} from ${from}
     on conflict (queue, lane) do update set last_tag = case when known.last_tag >= excluded.last_tag
       then known.last_tag + 1 else excluded.last_tag end
     returning last_tag`;
  statement.part('turn', isUnordered ? `select ${head} as last_tag from ${from}` : ownTurn);
  statement.part(
    'announced',
    `insert into queue_messages (queue, id, body, lane, priority, tag, status, visible_at, deliveries, published_at)
     select ${place}, ${statement.value(message.id, 'text')}, ${statement.value(message.body, 'text')}, ${lane},
       ${statement.value(message.priority ?? 0, 'integer')}, last_tag,
       ${statement.value(visibleAt > now ? 'waiting' : 'ready', 'text')}, ${statement.value(visibleAt, 'bigint')},
       0, ${statement.value(now, 'bigint')} from turn
     on conflict (queue, id) do nothing`,
  );
}
