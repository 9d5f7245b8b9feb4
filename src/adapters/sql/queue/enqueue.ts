// Puts messages on the store's queues. A message gets the next tag of its tenant, never below the tag that was served last
// (start-time fair queueing); queue-table.ts serves the lowest tag first, so tenants are served in turn.

import { sql, type Transaction } from 'kysely';
import type { OutboxMessage, QueueMessage } from '../../../jobs/ports/job-queue.ts';
import type { Schema } from '../schema.ts';
import { toNumber } from '../sql-dialect.ts';

/** Writes outbox messages in the transaction of the move they belong to. */
export async function enqueueAll(
  trx: Transaction<Schema>,
  outbox: readonly OutboxMessage[],
  now: number,
): Promise<void> {
  for (const { queue, message, delayMs = 0, isUnordered = false } of outbox)
    await enqueue(trx, queue, message, { now, visibleAt: now + delayMs, isUnordered });
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

/** The tag that was served last. Reading it takes no lock that another publisher would wait for. */
function headTag(queue: string) {
  return sql<number>`coalesce((select head_tag from queue_heads where queue = ${queue}), 0)`;
}

/** One statement, so that two publishers for a tenant never get the same tag. */
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
