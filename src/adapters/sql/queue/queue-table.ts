// The statements of the queue on the store. A message is `waiting` (held back until its moment), `ready` or
// `leased`; an acknowledged one is deleted.
//
// Order among ready messages is fair: each tenant's messages get rising tags, beginning no lower than the tag served
// last (start-time fair queueing), and the lowest tag is served next. A tenant with a thousand messages therefore
// takes turns with a tenant that has one. Which of a tenant's messages uses the tenant's turn is decided by priority.
//
// The status is written out in every WHERE: a bound parameter would keep the stores from using the partial indexes.

import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { QueueMessage } from '../../../jobs/ports/job-queue.ts';
import type { QueueMessagesTable, Schema } from '../schema.ts';
import { type SqlDialect, toNumber } from '../sql-dialect.ts';

export type Lease = { readonly owner: string; readonly until: number };

export type Claim = {
  readonly count: number;
  readonly lease: Lease;
  readonly now: number;
  /** False where it is known that nothing has become ready by itself, which is then not looked for. */
  readonly mayBeDue?: boolean;
};

export type ClaimedMessage = Pick<MessageRow, 'id' | 'body' | 'deliveries' | 'tag'>;

/** What is done with every message; a store may have a better way than the common one. */
export type QueueOperations = {
  /** Takes up to `count` messages, each leased to `lease.owner`. */
  claim(queue: string, claim: Claim): Promise<readonly ClaimedMessage[]>;
  /** Done with: only for who holds it. */
  remove(queue: string, id: string, owner: string): Promise<void>;
};

type MessageRow = Selectable<QueueMessagesTable>;

export function createQueueOperations(db: Kysely<Schema>, dialect: SqlDialect): QueueOperations {
  return {
    claim: (queue, claim) => claimMessages(db, dialect, queue, claim),
    remove: (queue, id, owner) => deleteMessage(db, queue, id, owner),
  };
}

export async function enqueue(
  trx: Transaction<Schema>,
  queue: string,
  message: QueueMessage,
  times: { readonly now: number; readonly visibleAt: number; readonly isUnordered?: boolean },
): Promise<void> {
  const tenant = message.tenant ?? '';
  await trx
    .insertInto('queue_messages')
    .values({
      queue,
      id: message.id,
      body: message.body,
      tenant,
      priority: message.priority ?? 0,
      tag: times.isUnordered ? headTag(queue) : await nextTag(trx, queue, tenant),
      status: times.visibleAt > times.now ? 'waiting' : 'ready',
      visible_at: times.visibleAt,
      lease_owner: null,
      lease_until: null,
      deliveries: 0,
      published_at: times.now,
    })
    .onConflict((conflict) => conflict.columns(['queue', 'id']).doNothing())
    .execute();
}

async function claimMessages(
  db: Kysely<Schema>,
  dialect: SqlDialect,
  queue: string,
  claim: Claim,
): Promise<readonly ClaimedMessage[]> {
  return db.transaction().execute(async (trx) => {
    if (claim.mayBeDue !== false) await makeReady(trx, dialect, queue, claim.now);
    const claimed: ClaimedMessage[] = [];
    while (claimed.length < claim.count) {
      const row = await claimNext(trx, dialect, queue, claim.lease);
      if (!row) break;
      claimed.push(row);
    }
    const last = claimed.at(-1);
    if (last) await raiseHead(trx, queue, toNumber(last.tag));
    return claimed;
  });
}

async function deleteMessage(
  db: Kysely<Schema>,
  queue: string,
  id: string,
  owner: string,
): Promise<void> {
  await db
    .deleteFrom('queue_messages')
    .where('queue', '=', queue)
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .execute();
}

/** Gives a leased message back, to be seen again at `visibleAt`. */
export async function returnMessage(
  db: Kysely<Schema>,
  queue: string,
  id: string,
  back: { readonly owner: string; readonly visibleAt: number; readonly wasStarted: boolean },
): Promise<void> {
  await db
    .updateTable('queue_messages')
    .set({
      status: 'waiting',
      visible_at: back.visibleAt,
      lease_owner: null,
      lease_until: null,
      deliveries: sql<number>`deliveries - ${back.wasStarted ? 0 : 1}`,
    })
    .where('queue', '=', queue)
    .where('id', '=', id)
    .where('lease_owner', '=', back.owner)
    .execute();
}

/** Of those alone that are in hand: one that could not be settled has to come back when its lease ends. */
export async function renewLeases(
  db: Kysely<Schema>,
  queue: string,
  ids: readonly string[],
  { owner, until }: Lease,
): Promise<void> {
  if (ids.length === 0) return;
  await db
    .updateTable('queue_messages')
    .set({ lease_until: until })
    .where('queue', '=', queue)
    .where('id', 'in', ids)
    .where(sql<boolean>`status = 'leased'`)
    .where('lease_owner', '=', owner)
    .execute();
}

/** Frees every lease there is: only for a process that knows it is alone. */
export async function releaseAllLeases(db: Kysely<Schema>): Promise<void> {
  await db
    .updateTable('queue_messages')
    .set({ status: 'ready', lease_owner: null, lease_until: null })
    .where(sql<boolean>`status = 'leased'`)
    .execute();
}

/** When the next message may become ready by itself: held back, or leased to somebody who falls silent. */
export async function nextDueAt(db: Kysely<Schema>, queue: string): Promise<number | undefined> {
  const { rows } = await sql<{ at: number | string | null }>`
    select min(at) as at from (
      select min(visible_at) as at from queue_messages where queue = ${queue} and status = 'waiting'
      union all
      select min(lease_until) as at from queue_messages
      where queue = ${queue} and status = 'leased'
    ) as moment`.execute(db);
  const at = rows[0]?.at;
  return at == null ? undefined : toNumber(at);
}

/** The turn that is being served. Taking it as it is locks nothing that another publisher would have to wait for. */
function headTag(queue: string) {
  return sql<number>`coalesce((select head_tag from queue_heads where queue = ${queue}), 0)`;
}

/** One statement, so that two publishers of a tenant never get the same tag. */
async function nextTag(trx: Transaction<Schema>, queue: string, tenant: string): Promise<number> {
  const head = headTag(queue);
  const { last_tag } = await trx
    .insertInto('tenant_queues')
    .values({ queue, tenant, last_tag: head })
    .onConflict((conflict) =>
      conflict.columns(['queue', 'tenant']).doUpdateSet({
        last_tag: sql<number>`case when tenant_queues.last_tag >= excluded.last_tag
          then tenant_queues.last_tag + 1 else excluded.last_tag end`,
      }),
    )
    .returning('last_tag')
    .executeTakeFirstOrThrow();
  return toNumber(last_tag);
}

/**
 * Frees what fell due. Rows that somebody else is at are left to them: processes that free the same rows must not
 * wait for each other.
 */
async function makeReady(
  trx: Transaction<Schema>,
  dialect: SqlDialect,
  queue: string,
  now: number,
): Promise<void> {
  const messages = trx.selectFrom('queue_messages').select('id').where('queue', '=', queue);
  const waiting = messages
    .where(sql<boolean>`status = 'waiting'`)
    .where('visible_at', '<=', now)
    .modifyEnd(dialect.skipLocked);
  const forsaken = messages
    .where(sql<boolean>`status = 'leased'`)
    .where('lease_until', '<=', now)
    .modifyEnd(dialect.skipLocked);
  for (const due of [waiting, forsaken])
    await trx
      .updateTable('queue_messages')
      .set({ status: 'ready', lease_owner: null, lease_until: null })
      .where('queue', '=', queue)
      .where('id', 'in', due)
      .execute();
}

async function claimNext(
  trx: Transaction<Schema>,
  dialect: SqlDialect,
  queue: string,
  lease: Lease,
): Promise<MessageRow | undefined> {
  const ready = trx
    .selectFrom('queue_messages')
    .select(['id', 'tenant', 'tag'])
    .where('queue', '=', queue)
    .where(sql<boolean>`status = 'ready'`)
    .limit(1)
    .modifyEnd(dialect.skipLocked);
  const turn = await ready.orderBy('tag').orderBy('id').executeTakeFirst();
  if (!turn) return undefined;
  const mostUrgent = await ready
    .where('tenant', '=', turn.tenant)
    .orderBy('priority', 'desc')
    .orderBy('tag')
    .orderBy('id')
    .executeTakeFirst();
  const chosen = mostUrgent ?? turn;
  // The chosen one uses the tenant's turn, and the one whose turn it was waits for the chosen one's.
  if (chosen.id !== turn.id) await setTag(trx, queue, turn.id, toNumber(chosen.tag));
  return trx
    .updateTable('queue_messages')
    .set({
      status: 'leased',
      tag: toNumber(turn.tag),
      lease_owner: lease.owner,
      lease_until: lease.until,
      deliveries: sql<number>`deliveries + 1`,
    })
    .where('queue', '=', queue)
    .where('id', '=', chosen.id)
    .returningAll()
    .executeTakeFirst();
}

async function setTag(
  trx: Transaction<Schema>,
  queue: string,
  id: string,
  tag: number,
): Promise<void> {
  await trx
    .updateTable('queue_messages')
    .set({ tag })
    .where('queue', '=', queue)
    .where('id', '=', id)
    .execute();
}

async function raiseHead(trx: Transaction<Schema>, queue: string, tag: number): Promise<void> {
  await trx
    .insertInto('queue_heads')
    .values({ queue, head_tag: tag })
    .onConflict((conflict) =>
      conflict
        .column('queue')
        .doUpdateSet({ head_tag: tag })
        .where('queue_heads.head_tag', '<', tag),
    )
    .execute();
}
