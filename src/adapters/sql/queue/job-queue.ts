// The queues on the store, for when there is no broker. Publishing is a commit; claiming is atomic among all
// processes of the store; a message whose process died is delivered again when its lease ends, or at once when
// this is the only process there can be. While the store is away publishing rejects and consumers wait.

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
import { type MessageSource, QueueConsumer } from './queue-consumer.ts';
import { aheadOf, depthOf, missingFrom } from './queue-figures.ts';
import type { QueueSignals } from './queue-signals.ts';
import {
  createQueueOperations,
  enqueue,
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
  /** The store's own way with messages, where it has one. */
  readonly operations?: QueueOperations;
  readonly leaseMs?: number;
  /** How often to look without being told: for stores that other processes publish to. */
  readonly pollMs?: number;
};

/** Long enough for a server that stalls, short enough for those who wait for what a dead one had in hand. */
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
    // Nobody waits here; whoever wants to wait calls close, which never rejects.
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
    giveBack: (id) =>
      returnMessage(db, queue, id, { owner, visibleAt: clock.now(), wasStarted: false }),
    renew: (ids) => renewLeases(db, queue, ids, lease()),
    nextDueAt: () => nextDueAt(db, queue),
    listen: (fn) => parts.signals.listen(queue, fn),
  };
}
