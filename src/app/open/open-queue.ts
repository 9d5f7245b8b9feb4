// The queues jobs travel on: the store's own, or RabbitMQ. With RabbitMQ the store's queue is the outbox for what other
// systems are told, and where jobs of callers are held until it is their turn.

import type { Config } from '../../config/config.ts';
import type { FinalQueues } from '../../jobs/model/final-message.ts';
import { createHoldQueue, type HoldQueueParts } from '../../jobs/pipeline/held-jobs.ts';
import { createTellResult, type TellResult } from '../../jobs/pipeline/publish-result.ts';
import { startRelay } from '../../jobs/pipeline/relay-outbox.ts';
import type { JobQueue } from '../../jobs/ports/job-queue.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { Store } from './open-store.ts';

export type Queues = {
  readonly queue: JobQueue;
  /** Where jobs of callers are held, and where they are released to; absent without a broker. */
  readonly hold?: HoldQueueParts | undefined;
  /** Where other systems are told of ends; empty without a broker, because nobody would listen. */
  readonly final: FinalQueues;
  /** How a worker tells of the ends of jobs that it has in hand; absent without a broker. */
  readonly tellResult?: TellResult | undefined;
  /** How many messages of the raw queue are taken at once. */
  readonly dispatchConcurrency: number;
  /** Whether the broker can be reached, as far as is known. */
  readonly isUp: () => boolean;
};

/** Round trips, and turns of a busy loop, are worth overlapping; the dispatcher keeps the order all the same. */
const DISPATCHES_AT_ONCE = 32;

/** Where messages of the raw queue come back to that had to wait for the dispatcher's limit. */
export function returningQueueOf(rawQueue: string): string {
  return `${rawQueue}-returning`;
}

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
  const { openRabbitQueue } = await import('../../adapters/rabbitmq/open-rabbit-queue.ts');
  const { resultsQueue, deadLetterQueue, queueType } = config.jobs;
  const { prefetch } = config.worker;
  const broker = await openRabbitQueue({ url: rabbitmqUrl, queueType, clock, log, prefetch });
  lifecycle.onClose('broker', () => broker.close());
  const told = [resultsQueue, deadLetterQueue];
  const relay = startRelay({ outbox: store.queue, broker, queues: told });
  lifecycle.onClose('relay', () => relay.close());
  const hold = { broker, held: store.queue };
  const final = { resultsQueue, deadLetterQueue };
  const isUp = () => broker.isUp();
  return {
    queue: createHoldQueue(hold),
    hold,
    final,
    tellResult: createTellResult({ broker, outbox: store.queue, isUp, queues: final }),
    dispatchConcurrency: DISPATCHES_AT_ONCE,
    isUp,
  };
}

export function storeQueues({ queue }: Pick<Store, 'queue'>): Queues {
  return { queue, final: {}, dispatchConcurrency: DISPATCHES_AT_ONCE, isUp: () => true };
}
