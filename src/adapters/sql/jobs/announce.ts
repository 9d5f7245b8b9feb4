// Puts announcements on the store's own queues, inside the transaction of what they tell of.

import type { Transaction } from 'kysely';
import type { Announcement } from '../../../jobs/ports/job-queue.ts';
import { insertMessage } from '../queue/queue-table.ts';
import type { Schema } from '../schema.ts';

export async function publishAll(
  trx: Transaction<Schema>,
  announcements: readonly Announcement[],
  now: number,
): Promise<void> {
  for (const { queue, message, delayMs = 0, isUnordered = false } of announcements)
    await insertMessage(trx, queue, message, { now, visibleAt: now + delayMs, isUnordered });
}
