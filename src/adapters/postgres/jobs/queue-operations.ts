// The operations on every queue message on PostgreSQL, by the rules of sql/queue/queue-table.ts: a claim is one statement
// instead of a transaction of eight, and acknowledgements are batched.
//
// These statements commit asynchronously (synchronous_commit off). If a crash of the server undoes a claim or an
// acknowledgement, the message is delivered again, which the fence makes harmless. Publishing commits synchronously, so a
// published message is never lost.

import type { ClaimedMessage, QueueOperations } from '../../sql/queue/queue-table.ts';
import { toNumber } from '../../sql/sql-dialect.ts';
import type { PostgresStore } from '../connection/open-postgres.ts';
import { createGroupCommit } from '../statements/group-commit.ts';

export function createPostgresQueueOperations({
  run,
}: Pick<PostgresStore, 'run'>): QueueOperations {
  const remove = createGroupCommit<LeasedMessage, void>({
    async runBatch(messages) {
      const byQueue = Map.groupBy(messages, ({ queue }) => queue);
      for (const [queue, own] of byQueue) await run(REMOVE, [queue, idsOf(own), ownersOf(own)]);
      return messages.map(() => undefined);
    },
  });
  return {
    async claim(queue, { count, lease, now, mayBeDue = true }) {
      if (mayBeDue) await run(MAKE_DUE_READY, [queue, now]);
      if (count === 1) return run<ClaimedMessage>(CLAIM_ONE, [queue, lease.owner, lease.until]);
      const values = [queue, lease.owner, lease.until, count];
      const claimed = await run<ClaimedMessage>(CLAIM_SEVERAL, values);
      return claimed.toSorted((a, b) => toNumber(a.tag) - toNumber(b.tag));
    },
    remove: (queue, id, owner) => remove({ queue, id, owner }),
  };
}

function idsOf(messages: readonly LeasedMessage[]): readonly string[] {
  return messages.map(({ id }) => id);
}

function ownersOf(messages: readonly LeasedMessage[]): readonly string[] {
  return [...new Set(messages.map(({ owner }) => owner))];
}

type LeasedMessage = { readonly queue: string; readonly id: string; readonly owner: string };

/** Applies to the statement that contains it, which must read `is_off` so that it is evaluated. */
const RELAXED = `relaxed as materialized (
  select set_config('synchronous_commit', 'off', true) = 'off' as is_off)`;

/**
 * $1 queue, $2 now. Rows that another process has locked are skipped. The update joins on the queue column instead of
 * comparing it with a constant, which the planner would consider selective and scan the whole queue for.
 */
const MAKE_DUE_READY = `with ${RELAXED}, due as (
    select queue, id from queue_messages where queue = $1 and status = 'waiting' and visible_at <= $2
    for update skip locked
  ), unleased as (
    select queue, id from queue_messages where queue = $1 and status = 'leased' and lease_until <= $2
    for update skip locked
  ), made_ready as (
    select queue, id from due union all select queue, id from unleased
  )
  update queue_messages as message set status = 'ready', lease_owner = null, lease_until = null
  from made_ready where (message.queue, message.id) = (made_ready.queue, made_ready.id) and (select is_off from relaxed)`;

/**
 * $1 queue, $2 owner, $3 end of the lease. The lowest tag decides which tenant is served, the priority which of its
 * messages; if that is another message, the two exchange their tags. Returns at most one row. Subselects instead of joins
 * make each step one index lookup, whatever statistics the planner has.
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
 * CLAIM_ONE for up to $4 messages. A tenant has one turn for each of its messages among the lowest $4 tags; its most
 * urgent messages use these turns in order and exchange tags with the messages they displace.
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

/** $1 queue, $2 ids, $3 owners of the leases: the consumers of one process are one owner. */
const REMOVE = `with ${RELAXED}
  delete from queue_messages
  where queue = $1 and id = any($2::text[]) and lease_owner = any($3::text[]) and (select is_off from relaxed)`;
