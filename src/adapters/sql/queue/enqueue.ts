// Puts announcements on the store's own queues, inside the transaction of what they tell of.

import type { Transaction } from 'kysely';
import type { OutboxMessage } from '../../../jobs/ports/job-queue.ts';
import type { Schema } from '../schema.ts';
import { enqueue } from './queue-table.ts';

export async function enqueueAll(
  trx: Transaction<Schema>,
  announcements: readonly OutboxMessage[],
  now: number,
): Promise<void> {
  for (const { queue, message, delayMs = 0, isUnordered = false } of announcements)
    await enqueue(trx, queue, message, { now, visibleAt: now + delayMs, isUnordered });
}
