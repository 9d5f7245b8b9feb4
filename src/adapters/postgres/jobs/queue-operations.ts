// What is done with every message of a queue on PostgreSQL, by the rules of queue-table.ts, in one statement each
// instead of a transaction of eight; those that are done with at about the same time share one.
//
// These statements do not wait until they are on the disk. A claim or an acknowledgement that a crash of the server
// takes back makes the message come again, which a queue may do and the jobs' fences are for; what was published
// is never lost, because publishing does wait.

import type { ClaimedMessage, QueueOperations } from '../../sql/queue/queue-table.ts';
import { toNumber } from '../../sql/sql-dialect.ts';
import type { PostgresStore } from '../connection/open-postgres.ts';
import { createGroupCommit } from '../statements/group-commit.ts';

export function createPostgresQueueOperations({
  run,
}: Pick<PostgresStore, 'run'>): QueueOperations {
  const remove = createGroupCommit<Held, void>({
    async runBatch(held) {
      const byQueue = Map.groupBy(held, ({ queue }) => queue);
      for (const [queue, own] of byQueue) await run(REMOVE, [queue, idsOf(own), ownersOf(own)]);
      return held.map(() => undefined);
    },
  });
  return {
    async claim(queue, { count, lease, now, mayBeDue = true }) {
      if (mayBeDue) await run(FREE_WHAT_IS_DUE, [queue, now]);
      if (count === 1) return run<ClaimedMessage>(CLAIM_ONE, [queue, lease.owner, lease.until]);
      const values = [queue, lease.owner, lease.until, count];
      const claimed = await run<ClaimedMessage>(CLAIM_SEVERAL, values);
      return claimed.toSorted((a, b) => toNumber(a.tag) - toNumber(b.tag));
    },
    remove: (queue, id, owner) => remove({ queue, id, owner }),
  };
}

function idsOf(held: readonly Held[]): readonly string[] {
  return held.map(({ id }) => id);
}

function ownersOf(held: readonly Held[]): readonly string[] {
  return [...new Set(held.map(({ owner }) => owner))];
}

type Held = { readonly queue: string; readonly id: string; readonly owner: string };

/** Only for the statement that it is part of, which has to ask whether it `is_off`. */
const RELAXED = `relaxed as materialized (
  select set_config('synchronous_commit', 'off', true) = 'off' as is_off)`;

/**
 * $1 queue, $2 now. Rows that somebody else is at are left to them. The queue is compared as a column of what is due and
 * not as a constant: the planner would take that to be selective enough, and read the whole queue.
 */
const FREE_WHAT_IS_DUE = `with ${RELAXED}, due as (
    select queue, id from queue_messages where queue = $1 and status = 'waiting' and visible_at <= $2
    for update skip locked
  ), forsaken as (
    select queue, id from queue_messages where queue = $1 and status = 'leased' and lease_until <= $2
    for update skip locked
  ), freed as (
    select queue, id from due union all select queue, id from forsaken
  )
  update queue_messages as message set status = 'ready', lease_owner = null, lease_until = null
  from freed where (message.queue, message.id) = (freed.queue, freed.id) and (select is_off from relaxed)`;

/**
 * $1 queue, $2 owner, $3 until when it is leased. The lowest tag says whose turn it is, the priority which of that
 * tenant's messages uses it; if that is another one, the two exchange their tags. Returns one row or none.
 * By subselects and not by joins, so that each step is one look into an index, whatever the planner believes.
 */
const CLAIM_ONE = `with ${RELAXED}, turn as (
    select id, tenant, tag from queue_messages where queue = $1 and status = 'ready'
    order by tag, id limit 1 for update skip locked
  ), chosen as (
    select id, tag from queue_messages
    where queue = $1 and status = 'ready' and tenant = (select tenant from turn)
    order by priority desc, tag, id limit 1 for update skip locked
  ), exchanged as (
    update queue_messages set tag = (select tag from chosen)
    where queue = $1 and id = (select id from turn) and id <> (select id from chosen)
  ), head as (
    insert into queue_heads as known (queue, head_tag) select $1, tag from turn
    on conflict (queue) do update set head_tag = excluded.head_tag where known.head_tag < excluded.head_tag
  )
  update queue_messages set status = 'leased', tag = (select tag from turn), lease_owner = $2, lease_until = $3,
    deliveries = deliveries + 1
  where queue = $1 and id = (select id from chosen) and (select is_off from relaxed)
  returning id, body, deliveries, tag`;

/**
 * The same for several at once; $4 how many. Each tenant has as many turns as it has messages among the lowest tags. Its
 * most urgent messages use them, in their order, and those whose turns they used are given their tags.
 */
const CLAIM_SEVERAL = `with ${RELAXED}, turn as materialized (
    select queue, id, tenant, tag from queue_messages where queue = $1 and status = 'ready'
    order by tag, id limit $4 for update skip locked
  ), share as (
    select tenant, count(id) as turns from turn group by tenant
  ), chosen as materialized (
    select urgent.queue, urgent.id, share.tenant, urgent.tag, urgent.place
    from share, lateral (
      select best.queue, best.id, best.tag,
        row_number() over (order by best.priority desc, best.tag, best.id) as place
      from (
        select queue, id, tag, priority from queue_messages
        where queue = $1 and status = 'ready' and tenant = share.tenant
        order by priority desc, tag, id limit share.turns for update skip locked
      ) as best
    ) as urgent
  ), turn_of as (
    select tenant, tag, row_number() over (partition by tenant order by tag, id) as place from turn
  ), passed_over as (
    select queue, id, tenant, row_number() over (partition by tenant order by tag, id) as place
    from turn where id not in (select id from chosen)
  ), left_over as (
    select tenant, tag, row_number() over (partition by tenant order by tag, id) as place
    from chosen where id not in (select id from turn)
  ), exchanged as (
    update queue_messages as message set tag = left_over.tag
    from passed_over join left_over using (tenant, place)
    where (message.queue, message.id) = (passed_over.queue, passed_over.id)
  ), head as (
    insert into queue_heads as known (queue, head_tag) select queue, max(tag) from turn group by queue
    on conflict (queue) do update set head_tag = excluded.head_tag where known.head_tag < excluded.head_tag
  )
  update queue_messages as message set status = 'leased', tag = turn_of.tag, lease_owner = $2, lease_until = $3,
    deliveries = message.deliveries + 1
  from chosen join turn_of using (tenant, place)
  where (message.queue, message.id) = (chosen.queue, chosen.id) and (select is_off from relaxed)
  returning message.id, message.body, message.deliveries, message.tag`;

/** $1 queue, $2 ids, $3 who holds them: the consumers of one process are one owner. */
const REMOVE = `with ${RELAXED}
  delete from queue_messages
  where queue = $1 and id = any($2::text[]) and lease_owner = any($3::text[]) and (select is_off from relaxed)`;
