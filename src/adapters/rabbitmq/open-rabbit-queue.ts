// Opens the queues on RabbitMQ. A broker that is away keeps nothing from starting: the store takes jobs meanwhile,
// and what waits for the broker goes on when it is there. Only a URL that is none is refused.

import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { BrokerConnection } from './connection/broker-connection.ts';
import { RabbitJobQueue } from './job-queue.ts';
import { Publisher } from './publish/publisher.ts';
import { DEFAULT_LADDER_NAME } from './topology/delay-ladder.ts';
import { LeftQueues } from './topology/left-queues.ts';
import type { QueueType } from './topology/queue-definition.ts';

export type RabbitQueueOptions = {
  readonly url: string;
  /** Of the queues that are not there yet; those that are, are used as found. */
  readonly queueType: QueueType;
  readonly clock: Clock;
  readonly log: Log;
  /** For the whole of a publish, its second tries included. */
  readonly confirmTimeoutMs?: number;
  /** How many publishes may wait at once; one more is refused. */
  readonly maxWaiting?: number;
  /** How many deliveries a consumer is sent ahead; its concurrency unless this is more. */
  readonly prefetch?: number | undefined;
  /** What the names of the ladder's queues and exchanges begin with. */
  readonly ladderName?: string;
  /** How long opening waits for the broker before it goes on without. */
  readonly patienceMs?: number;
};

const DEFAULTS = Object.freeze({
  confirmTimeoutMs: 10_000,
  maxWaiting: 1000,
  ladderName: DEFAULT_LADDER_NAME,
  patienceMs: 3000,
});

export async function openRabbitQueue(given: RabbitQueueOptions): Promise<RabbitJobQueue> {
  const options = { ...DEFAULTS, ...given };
  const { url, queueType, clock, log, ladderName } = options;
  const left = new LeftQueues(clock);
  const onMade = (queue: string) => left.note(queue, clock.now());
  const settings = { queueType, ladderName, onMade };
  const publishing = new BrokerConnection({ url, purpose: 'publish', clock, log });
  const consuming = new BrokerConnection({ url, purpose: 'consume', clock, log });
  const publisher = new Publisher(publishing, settings, options);
  // Whether it came is told by the connection itself.
  const { patienceMs } = options;
  await Promise.all([publishing.isReachable(patienceMs), consuming.isReachable(patienceMs)]);
  const { prefetch } = options;
  const connections = { url, publishing, consuming };
  return new RabbitJobQueue({ ...connections, publisher, settings, left, log, prefetch });
}
