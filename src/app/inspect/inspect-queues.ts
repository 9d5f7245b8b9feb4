// Inspects the RabbitMQ of RABBITMQ_URL and Spillway's queues on it, for `doctor`.

import {
  type BrokerInspection,
  inspectRabbit,
} from '../../adapters/rabbitmq/inspect/inspect-broker.ts';
import type { Config } from '../../config/config.ts';
import { pointersQueueOf } from '../../jobs/model/job-pointer.ts';
import { systemClock } from '../../kernel/clock.ts';
import { returningQueueOf } from '../jobs/open-queue.ts';

export function inspectQueues(config: Config, rabbitmqUrl: string): Promise<BrokerInspection> {
  const { rawQueue, resultsQueue, deadLetterQueue } = config.jobs;
  const providerQueues = Object.values(config.providers)
    .filter((provider) => provider.hasKey)
    .map((provider) => provider.queue);
  const { rateLimitDelayMs: delayMs } = config.dispatcher;
  const delayedQueues =
    delayMs === undefined ? [] : providerQueues.map((queue) => `${queue}-delayed-${delayMs}ms`);
  const isShared = config.jobs.dispatchPayload === 'message';
  const names = [
    rawQueue,
    returningQueueOf(rawQueue),
    ...providerQueues,
    ...(isShared ? providerQueues.map(pointersQueueOf) : []),
    ...delayedQueues,
    resultsQueue,
    deadLetterQueue,
  ];
  return inspectRabbit({ url: rabbitmqUrl, names }, systemClock);
}
