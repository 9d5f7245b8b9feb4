// Reads about a queue on the store: its depth, missing messages, and the messages ahead of one.

import { type Kysely, sql } from 'kysely';
import type { QueueDepth } from '../../../jobs/ports/job-queue.ts';
import type { Schema } from '../schema.ts';
import { toNumber } from '../sql-dialect.ts';

const IDS_PER_QUERY = 500;

export async function depthOf(db: Kysely<Schema>, queue: string, now: number): Promise<QueueDepth> {
  // A due message counts as ready although the next claim has not marked it yet.
  const isReady = sql<boolean>`status = 'ready' or (status = 'waiting' and visible_at <= ${now})`;
  const row = await db
    .selectFrom('queue_messages')
    .select([
      sql<number | string>`count(case when ${isReady} then 1 end)`.as('ready'),
      sql<number | string>`count(case when status = 'leased' then 1 end)`.as('in_flight'),
      sql<number | string>`count(*)`.as('all'),
      sql<number | string | null>`min(case when ${isReady} then published_at end)`.as('oldest_at'),
    ])
    .where('queue', '=', queue)
    .executeTakeFirstOrThrow();
  const ready = toNumber(row.ready);
  const inFlight = toNumber(row.in_flight);
  return {
    ready,
    inFlight,
    delayed: toNumber(row.all) - ready - inFlight,
    oldestAt: row.oldest_at === null ? undefined : toNumber(row.oldest_at),
  };
}

export async function missingFrom(
  db: Kysely<Schema>,
  queue: string,
  messages: readonly { readonly id: string }[],
): Promise<readonly string[]> {
  const missing = new Set(messages.map((message) => message.id));
  const ids = [...missing];
  for (let index = 0; index < ids.length; index += IDS_PER_QUERY) {
    const found = await db
      .selectFrom('queue_messages')
      .select('id')
      .where('queue', '=', queue)
      .where('id', 'in', ids.slice(index, index + IDS_PER_QUERY))
      .execute();
    for (const { id } of found) missing.delete(id);
  }
  return [...missing];
}

/** The ready messages with a lower tag. */
export async function aheadOf(
  db: Kysely<Schema>,
  queue: string,
  messageId: string,
): Promise<number | undefined> {
  const own = await db
    .selectFrom('queue_messages')
    .select(['tag', 'id'])
    .where('queue', '=', queue)
    .where('id', '=', messageId)
    .executeTakeFirst();
  if (!own) return undefined;
  const row = await db
    .selectFrom('queue_messages')
    .select(sql<number | string>`count(*)`.as('ahead'))
    .where('queue', '=', queue)
    .where(sql<boolean>`status = 'ready'`)
    .where(sql<boolean>`(tag, id) < (${toNumber(own.tag)}, ${own.id})`)
    .executeTakeFirstOrThrow();
  return toNumber(row.ahead);
}
