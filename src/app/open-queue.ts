// The queues jobs travel on: the store's own, or RabbitMQ with the store's queue as its outbox.

import type { Config } from '../config/config.ts';
import type { FinalQueues } from '../jobs/final-message.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import { startRelay } from '../jobs/relay-outbox.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Lifecycle } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import type { Store } from './open-store.ts';

export type Queues = {
  readonly queue: JobQueue;
  /** Where other systems are told of ends; empty without a broker, because nobody would listen. */
  readonly final: FinalQueues;
  /** How many messages of the raw queue are taken at once. */
  readonly dispatchConcurrency: number;
  /** Whether the broker can be reached, as far as is known. */
  readonly isUp: () => boolean;
};

/** A broker's round trips are worth overlapping. */
const BROKER_DISPATCHES_AT_ONCE = 16;

export type QueueContext = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

export async function openQueues(config: Config, context: QueueContext): Promise<Queues> {
  const { store, clock, log, lifecycle } = context;
  const { rabbitmqUrl } = config.storage;
  if (rabbitmqUrl === undefined) return storeQueues(store);
  // Loaded only here, because the driver costs memory that the store's own queue does not need.
  const { openRabbitQueue } = await import('../adapters/rabbitmq/open-rabbit-queue.ts');
  const { rawQueue, resultsQueue, deadLetterQueue, queueType } = config.jobs;
  const { prefetch } = config.worker;
  const queue = await openRabbitQueue({ url: rabbitmqUrl, queueType, clock, log, prefetch });
  lifecycle.onClose('broker', () => queue.close());
  const providerQueues = Object.values(config.providers).map((provider) => provider.queue);
  const queues = [rawQueue, resultsQueue, deadLetterQueue, ...providerQueues];
  const relay = startRelay({ outbox: store.queue, broker: queue, queues });
  lifecycle.onClose('relay', () => relay.close());
  return {
    queue,
    final: { resultsQueue, deadLetterQueue },
    dispatchConcurrency: BROKER_DISPATCHES_AT_ONCE,
    isUp: () => queue.isUp(),
  };
}

/** One at a time keeps the order of messages. */
export function storeQueues({ queue }: Pick<Store, 'queue'>): Queues {
  return { queue, final: {}, dispatchConcurrency: 1, isUp: () => true };
}
