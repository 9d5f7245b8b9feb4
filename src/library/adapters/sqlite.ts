// The public entry `spillway/adapters/sqlite`: durable state in one SQLite file, for one process at a time. The file has the
// tables of a gateway's store; a running gateway has its own file.

import { createIdempotencyStore } from '../../adapters/sql/idempotency-store.ts';
import { createJobQueue } from '../../adapters/sql/queue/job-queue.ts';
import { createQueueSignals } from '../../adapters/sql/queue/queue-signals.ts';
import { releaseLeases } from '../../adapters/sql/release-leases.ts';
import { openSqlite as openStore } from '../../adapters/sqlite/open-sqlite.ts';
import { IDEMPOTENCY_RETENTION_MS } from '../../admission/idempotency-store.ts';
import { type Clock, foregroundClock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { createLifecycle } from '../../kernel/lifecycle.ts';
import { type Log, silentLog } from '../../kernel/log.ts';
import type { DurableState } from './durable-state.ts';

export type { DurableState, IdempotencyStore, JobQueue } from './durable-state.ts';

/**
 * The options of `openSqlite`.
 *
 * @example
 * import type { SqliteOptions } from 'spillway/adapters/sqlite';
 *
 * export const options: SqliteOptions = { file: 'shop.db' };
 */
export type SqliteOptions = {
  /** The path of the file, or `:memory:`. */
  readonly file: string;
  readonly log?: Log;
  readonly clock?: Clock;
};

/**
 * Opens a SQLite file and creates its tables. Messages that a process left unfinished are delivered again.
 *
 * @example
 * import { openSqlite } from 'spillway/adapters/sqlite';
 *
 * const { queue, close } = await openSqlite({ file: 'shop.db' });
 * const sent = Promise.withResolvers<string>();
 * queue.consume('mails', { concurrency: 4 }, async ({ body }) => {
 *   sent.resolve(body);
 *   return 'ack';
 * });
 * await queue.publish('mails', { id: 'order-1', body: 'Thank you' });
 * console.log(await sent.promise);
 * await close();
 */
export async function openSqlite(options: SqliteOptions): Promise<DurableState> {
  const { file, clock = foregroundClock, log = silentLog } = options;
  const lifecycle = createLifecycle();
  const store = await openStore(file);
  lifecycle.onClose('store', () => store.close());
  await releaseLeases(store.db, clock.now());
  const queue = createJobQueue({ ...store, signals: createQueueSignals(), clock, log, newId });
  lifecycle.onClose('queue', () => queue.close());
  const idempotency = createIdempotencyStore(store.db, { retentionMs: IDEMPOTENCY_RETENTION_MS });
  return { queue, idempotency, close: () => lifecycle.close() };
}
