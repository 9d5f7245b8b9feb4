// Durable state for programs: queues that deliver at least once, and idempotency keys, which let several identical
// requests run once. One type for both SQL stores.

import type { IdempotencyStore } from '../../admission/idempotency-store.ts';
import type { JobQueue } from '../../jobs/ports/job-queue.ts';

export type { IdempotencyStore } from '../../admission/idempotency-store.ts';
export type { JobQueue } from '../../jobs/ports/job-queue.ts';

/**
 * The ports of a store.
 *
 * @example
 * import { type DurableState, openSqlite } from 'spillway/adapters/sqlite';
 *
 * const { queue, close }: DurableState = await openSqlite({ file: ':memory:' });
 * await queue.publish('mails', { id: 'order-1', body: 'Thank you' });
 * await close();
 */
export type DurableState = {
  /** Delivers each message at least once and keeps it until it is acknowledged. */
  readonly queue: JobQueue;
  /** Of several identical requests one runs; the others get its answer. */
  readonly idempotency: IdempotencyStore;
  /** Idempotent: waits for deliveries in progress. */
  close(): Promise<void>;
};
