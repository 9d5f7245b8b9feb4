// Opens the job queues on RabbitMQ. A server starts without its broker: the store accepts jobs meanwhile, and publishing and
// consuming start once the broker is available. Only an invalid URL is refused.

import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { BrokerConnection } from './connection/broker-connection.ts';
import { RabbitJobQueue } from './job-queue.ts';
import { Publisher } from './publish/publisher.ts';
import { DEFAULT_LADDER_NAME } from './topology/delay-ladder.ts';
import { DepartedMessages } from './topology/departed-messages.ts';
import type { QueueType } from './topology/queue-definition.ts';
import { QueueOwner, type QueueOwnerOptions } from './topology/queue-owner.ts';

export type RabbitQueueOptions = {
  readonly url: string;
  /** For queues that do not exist yet; existing ones are used as they are. */
  readonly queueType: QueueType;
  readonly clock: Clock;
  readonly log: Log;
  /** For a whole publish, retries included. */
  readonly confirmTimeoutMs?: number;
  /** The bound on publishes without a confirm; one more is refused. */
  readonly maxPending?: number;
  /** Deliveries that the broker sends ahead; at least the concurrency of a consumer. */
  readonly prefetch?: number | undefined;
  /** The prefix of the ladder's queues and exchanges. */
  readonly ladderName?: string;
  /** The id of the store that the queues belong to; absent where ownership is not checked. */
  readonly owner?: QueueOwnerOptions | undefined;
  /** How long opening waits for the broker before it continues without it. */
  readonly connectWaitMs?: number;
};

const DEFAULTS = Object.freeze({
  confirmTimeoutMs: 10_000,
  maxPending: 1000,
  ladderName: DEFAULT_LADDER_NAME,
  connectWaitMs: 3000,
});

export async function openRabbitQueue(given: RabbitQueueOptions): Promise<RabbitJobQueue> {
  const options = { ...DEFAULTS, ...given };
  const { url, queueType, clock, log, ladderName } = options;
  const departed = new DepartedMessages(clock);
  const onDeclared = (queue: string) => departed.note(queue, clock.now());
  const settings = { queueType, ladderName, onDeclared };
  const publishing = new BrokerConnection({ url, purpose: 'publish', clock, log });
  const consuming = new BrokerConnection({ url, purpose: 'consume', clock, log });
  const publisher = new Publisher(publishing, settings, options);
  // The connections log a failure themselves.
  const { connectWaitMs } = options;
  await Promise.all([publishing.isReachable(connectWaitMs), consuming.isReachable(connectWaitMs)]);
  const { prefetch } = options;
  const owner = options.owner && new QueueOwner(consuming, options.owner, log);
  const openForwarding = () => new BrokerConnection({ url, purpose: 'forward', clock, log });
  const connections = { url, publishing, consuming, openForwarding };
  const parts = { ...connections, publisher, settings, departed, log, prefetch, owner };
  return new RabbitJobQueue(parts);
}
