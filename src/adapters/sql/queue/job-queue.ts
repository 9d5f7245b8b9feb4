// The queues on the store. Publishing is a commit; claiming is atomic among all processes of the store; the messages
// of a dead process are delivered again when their leases end, or at the next start where a store has a single process. While the
// store is unavailable, publishing rejects and consumers wait.

import type { Kysely } from 'kysely';
import type {
  ConsumeOptions,
  Delivery,
  DeliveryHandler,
  JobQueue,
} from '../../../jobs/ports/job-queue.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { NewId } from '../../../kernel/ids.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Schema } from '../schema.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { enqueue } from './enqueue.ts';
import { type MessageSource, QueueConsumer } from './queue-consumer.ts';
import { aheadOf, depthOf, missingFrom } from './queue-figures.ts';
import type { QueueSignals } from './queue-signals.ts';
import {
  createQueueOperations,
  nextDueAt,
  type QueueOperations,
  renewLeases,
  returnMessage,
} from './queue-table.ts';

export type JobQueueParts = {
  readonly db: Kysely<Schema>;
  readonly dialect: SqlDialect;
  readonly signals: QueueSignals;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: NewId;
  /** The store's own operations; the common SQL by default. */
  readonly operations?: QueueOperations;
  readonly leaseMs?: number;
  /** The polling interval: for stores that other processes publish to. */
  readonly pollMs?: number;
};

/** Longer than a server may stall, and short enough for the messages of a dead server. */
const DEFAULT_LEASE_MS = 20_000;

export function createJobQueue(parts: JobQueueParts): JobQueue {
  const { db, clock, signals } = parts;
  const owner = parts.newId('msg');
  const consumers = new Set<QueueConsumer>();

  function consume(queue: string, options: ConsumeOptions, handler: DeliveryHandler) {
    const source = sourceOf(parts, queue, owner);
    const { concurrency, finishing = 0 } = options;
    const consumer = new QueueConsumer(source, { concurrency, finishing, handler }, parts);
    consumers.add(consumer);
    // Not awaited: `close` never rejects, and a caller that wants to wait calls it too.
    options.signal?.addEventListener('abort', () => void consumer.close(), { once: true });
    if (options.signal?.aborted) void consumer.close();
    return consumer;
  }

  return {
    async publish(queue, message, { delayMs = 0 } = {}) {
      const now = clock.now();
      const times = { now, visibleAt: now + delayMs };
      await db.transaction().execute((trx) => enqueue(trx, queue, message, times));
      signals.notify(queue);
    },
    consume,
    depth: (queue) => depthOf(db, queue, clock.now()),
    missing: (queue, messages) => missingFrom(db, queue, messages),
    ahead: (queue, messageId) => aheadOf(db, queue, messageId),
    async close() {
      await Promise.all([...consumers].map((consumer) => consumer.close()));
      consumers.clear();
    },
  };
}

function sourceOf(parts: JobQueueParts, queue: string, owner: string): MessageSource {
  const { db, dialect, clock, leaseMs = DEFAULT_LEASE_MS } = parts;
  const operations = parts.operations ?? createQueueOperations(db, dialect);
  const lease = () => ({ owner, until: clock.now() + leaseMs });
  return {
    name: queue,
    leaseMs,
    pollMs: parts.pollMs,
    async claim(count, mayBeDue) {
      const claim = { count, lease: lease(), now: clock.now(), mayBeDue };
      const rows = await operations.claim(queue, claim);
      return rows.map(
        ({ id, body, deliveries }): Delivery => ({ id, body, deliveries: Number(deliveries) }),
      );
    },
    async settle(id, outcome) {
      if (outcome === 'ack') return operations.remove(queue, id, owner);
      const visibleAt = clock.now() + outcome.retryAfterMs;
      const wasStarted = outcome.isUncounted !== true;
      await returnMessage(db, queue, id, { owner, visibleAt, wasStarted });
    },
    returnUnstarted: (id) =>
      returnMessage(db, queue, id, { owner, visibleAt: clock.now(), wasStarted: false }),
    renew: (ids) => renewLeases(db, queue, ids, lease()),
    nextDueAt: () => nextDueAt(db, queue),
    listen: (fn) => parts.signals.listen(queue, fn),
  };
}
