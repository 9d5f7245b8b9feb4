// The queues of the pipeline: the store's own, or RabbitMQ. With RabbitMQ the store's queues are the outbox and the
// tenant queues in which callers' jobs wait for release.

import type { Config } from '../../config/config.ts';
import type { FinalQueues } from '../../jobs/model/final-messages.ts';
import {
  createPipelineQueue,
  type PipelineQueueParts,
} from '../../jobs/pipeline/pipeline-queue.ts';
import { createPublishResult, type PublishResult } from '../../jobs/pipeline/publish-result.ts';
import { startRelay } from '../../jobs/pipeline/relay-outbox.ts';
import type { JobQueue } from '../../jobs/ports/job-queue.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { Store } from '../open/open-store.ts';
import { StartFailure } from '../start-failure.ts';

export type Queues = {
  readonly queue: JobQueue;
  /** The two parts of `queue` in an installation with a broker; absent without one. */
  readonly brokered?: PipelineQueueParts | undefined;
  /** The queues that other systems read results and dead letters from; empty without a broker. */
  readonly final: FinalQueues;
  /** How a worker publishes the result of a job it has run; absent without a broker. */
  readonly publishResult?: PublishResult | undefined;
  /** Whether foreign workers consume the provider queues too. */
  readonly areShared: boolean;
  /** The number of raw messages that are dispatched concurrently. */
  readonly dispatchConcurrency: number;
  /** Whether the broker is connected, as far as is known. */
  readonly isUp: () => boolean;
};

/** Overlaps round trips to the services; the dispatcher still keeps the order of delivery. */
const DISPATCH_CONCURRENCY = 32;

/** The queue that raw messages return to after a delay by the dispatcher's limit. */
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
  // Imported only here: without a broker the driver's memory is saved.
  const { openRabbitQueue } = await import('../../adapters/rabbitmq/open-rabbit-queue.ts');
  const { resultsQueue, deadLetterQueue, queueType, resultsIncludeFailures } = config.jobs;
  const { prefetch } = config.worker;
  const owner = { storeId: store.identity.storeId, queues: ownedQueues(config) };
  const options = { url: rabbitmqUrl, queueType, clock, log, prefetch, owner };
  const broker = await openRabbitQueue(options);
  lifecycle.onClose('broker', () => broker.close());
  assertOwn(await broker.findForeignQueue());
  const relayed = [resultsQueue, deadLetterQueue];
  const relay = startRelay({ outbox: store.queue, broker, queues: relayed });
  lifecycle.onClose('relay', () => relay.close());
  const brokered = { broker, tenantQueues: store.queue };
  const final = { resultsQueue, deadLetterQueue, includesFailures: resultsIncludeFailures };
  const isUp = () => broker.isUp();
  return {
    queue: createPipelineQueue(brokered),
    brokered,
    final,
    publishResult: createPublishResult({ broker, outbox: store.queue, isUp, queues: final }),
    areShared: config.jobs.dispatchPayload === 'message',
    dispatchConcurrency: DISPATCH_CONCURRENCY,
    isUp,
  };
}

/** Results and dead letters are published only, so that several stores may share those queues. */
function ownedQueues({ jobs, providers }: Config): readonly string[] {
  const worked = Object.values(providers).filter((provider) => provider.hasKey);
  return [jobs.rawQueue, ...worked.map((provider) => provider.queue)];
}

function assertOwn(foreign: string | undefined): void {
  if (foreign === undefined) return;
  throw new StartFailure(
    `The queue ${foreign} on RabbitMQ belongs to another Spillway store; servers that share a queue must share the store: give them the same DATABASE_URL, or this one other queues. If the other store no longer exists, delete the exchange spillway-store:${foreign}.`,
  );
}

export function storeQueues({ queue }: Pick<Store, 'queue'>): Queues {
  return {
    queue,
    final: {},
    areShared: false,
    dispatchConcurrency: DISPATCH_CONCURRENCY,
    isUp: () => true,
  };
}
