// The public entry `spillway/adapters/postgres`: durable state in PostgreSQL, for any number of processes. Its tables
// are in the schema `spillway` of the database, which a gateway uses too.

import {
  migratePostgres,
  pendingInPostgres,
} from '../../adapters/postgres/connection/migrate-postgres.ts';
import { openPostgres as openStore } from '../../adapters/postgres/connection/open-postgres.ts';
import { createPostgresQueueOperations } from '../../adapters/postgres/jobs/queue-operations.ts';
import { createIdempotencyStore } from '../../adapters/sql/idempotency-store.ts';
import { createJobQueue } from '../../adapters/sql/queue/job-queue.ts';
import { createQueueSignals } from '../../adapters/sql/queue/queue-signals.ts';
import { IDEMPOTENCY_RETENTION_MS } from '../../admission/idempotency-store.ts';
import { type Clock, foregroundClock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { createLifecycle } from '../../kernel/lifecycle.ts';
import { type Log, silentLog } from '../../kernel/log.ts';
import type { DurableState } from './durable-state.ts';

export type { DurableState, IdempotencyStore, JobQueue } from './durable-state.ts';

/**
 * The options of `openPostgres`.
 *
 * @example
 * import type { PostgresOptions } from 'spillway/adapters/postgres';
 *
 * export const options: PostgresOptions = { url: 'postgres://shop@127.0.0.1/shop', migrate: true };
 */
export type PostgresOptions = {
  readonly url: string;
  /** Creates and updates the tables; by default a store that is not up to date is refused. */
  readonly migrate?: boolean;
  /** The interval at which consumers poll for messages of other processes; 1 s by default. */
  readonly pollMs?: number;
  readonly log?: Log;
  readonly clock?: Clock;
};

const POLL_MS = 1000;

/**
 * Opens a PostgreSQL store.
 *
 * @example
 * import { openPostgres } from 'spillway/adapters/postgres';
 *
 * const url = process.env.DATABASE_URL ?? 'postgres://127.0.0.1/shop';
 * const { queue, close } = await openPostgres({ url, migrate: true });
 * await queue.publish('mails', { id: 'order-1', body: 'Thank you' }, { delayMs: 60_000 });
 * console.log((await queue.depth('mails')).delayed);
 * await close();
 */
export async function openPostgres(options: PostgresOptions): Promise<DurableState> {
  const { url, pollMs = POLL_MS, clock = foregroundClock, log = silentLog } = options;
  const lifecycle = createLifecycle();
  if (options.migrate) await migratePostgres(url);
  const store = openStore(url);
  lifecycle.onClose('store', () => store.close());
  try {
    await assertMigrated(await pendingInPostgres(store));
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
  const queue = createJobQueue({
    ...store,
    operations: createPostgresQueueOperations(store),
    signals: createQueueSignals(),
    pollMs,
    clock,
    log,
    newId,
  });
  lifecycle.onClose('queue', () => queue.close());
  const idempotency = createIdempotencyStore(store.db, { retentionMs: IDEMPOTENCY_RETENTION_MS });
  return { queue, idempotency, close: () => lifecycle.close() };
}

async function assertMigrated(pending: readonly string[]): Promise<void> {
  if (pending.length === 0) return;
  throw new Error(
    `The store is not up to date (pending: ${pending.join(', ')}); open it with migrate.`,
  );
}
