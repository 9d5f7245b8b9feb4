// The statements that serve the store's queues. A message is `waiting` (delayed until `visible_at`), `ready` or `leased`; an
// acknowledged message is deleted.
//
// The ready message with the lowest tag is served next (enqueue.ts), so a tenant with a thousand messages alternates with
// a tenant that has one. Priority decides which of a tenant's messages uses the tenant's turn.
//
// Every WHERE contains the status as a literal: with a bound parameter the stores would not use the partial indexes.

import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { QueueMessagesTable, Schema } from '../schema.ts';
import { type SqlDialect, toNumber } from '../sql-dialect.ts';

export type Lease = { readonly owner: string; readonly until: number };

export type Claim = {
  readonly count: number;
  readonly lease: Lease;
  readonly now: number;
  /** False if no delay and no lease can have ended since the last claim; skips the search for such messages. */
  readonly mayBeDue?: boolean;
};

export type ClaimedMessage = Pick<MessageRow, 'id' | 'body' | 'deliveries' | 'tag'>;

/** The operations on every message; PostgreSQL has faster ones than the common SQL. */
export type QueueOperations = {
  /** Leases up to `count` messages to `lease.owner`. */
  claim(queue: string, claim: Claim): Promise<readonly ClaimedMessage[]>;
  /** Acknowledges a message: deletes it if `owner` still holds its lease. */
  remove(queue: string, id: string, owner: string): Promise<void>;
};

type MessageRow = Selectable<QueueMessagesTable>;

export function createQueueOperations(db: Kysely<Schema>, dialect: SqlDialect): QueueOperations {
  return {
    claim: (queue, claim) => claimMessages(db, dialect, queue, claim),
    remove: (queue, id, owner) => deleteMessage(db, queue, id, owner),
  };
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

/** Returns a leased message, to be delivered again at `visibleAt`. */
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

/** Only for messages in progress: after a failed acknowledgement the lease has to end, and the message returns. */
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

/** Ends every lease: only for the sole process of a store, at its start. */
export async function releaseAllLeases(db: Kysely<Schema>): Promise<void> {
  await db
    .updateTable('queue_messages')
    .set({ status: 'ready', lease_owner: null, lease_until: null })
    .where(sql<boolean>`status = 'leased'`)
    .execute();
}

/** When the next delay or lease ends. */
export async function nextDueAt(db: Kysely<Schema>, queue: string): Promise<number | undefined> {
  const { rows } = await sql<{ at: number | string | null }>`
    select min(at) as at from (
      select min(visible_at) as at from queue_messages where queue = ${queue} and status = 'waiting'
      union all
      select min(lease_until) as at from queue_messages
      where queue = ${queue} and status = 'leased'
    ) as due`.execute(db);
  const at = rows[0]?.at;
  return at == null ? undefined : toNumber(at);
}

/**
 * Makes messages ready after their delay or lease has ended. Rows that another process has locked are skipped, so that
 * processes do not wait for each other.
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
  const unleased = messages
    .where(sql<boolean>`status = 'leased'`)
    .where('lease_until', '<=', now)
    .modifyEnd(dialect.skipLocked);
  for (const due of [waiting, unleased])
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
  // A more urgent message of the same tenant goes first: the two messages exchange their tags.
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
