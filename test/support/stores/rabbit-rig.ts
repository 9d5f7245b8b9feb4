// Job queues on a real RabbitMQ for one test, with unique queue names and a private ladder, all deleted at the end.

import { BrokerConnection } from '../../../src/adapters/rabbitmq/connection/broker-connection.ts';
import type { RabbitJobQueue } from '../../../src/adapters/rabbitmq/job-queue.ts';
import {
  openRabbitQueue,
  type RabbitQueueOptions,
} from '../../../src/adapters/rabbitmq/open-rabbit-queue.ts';
import { describeLadder } from '../../../src/adapters/rabbitmq/topology/delay-ladder.ts';
import type { JobQueue } from '../../../src/jobs/ports/job-queue.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { type Log, type LogEntry, silentLog } from '../../../src/kernel/log.ts';
import { uniqueName } from '../services/services-from-env.ts';

export type RabbitRig = {
  readonly queue: RabbitJobQueue;
  /** A plain connection, as another system has. */
  readonly outsider: BrokerConnection;
  /** A unique name for a queue or a ladder. */
  readonly name: (purpose: string) => string;
  /** Opens the queues again, as another process does. */
  open(options?: Partial<RabbitQueueOptions>): Promise<RabbitJobQueue>;
  close(): Promise<void>;
};

export async function openRabbitRig(
  url: string,
  options: Partial<RabbitQueueOptions> = {},
): Promise<RabbitRig> {
  const prefix = uniqueName('rabbit');
  const used = new Set<string>();
  const ladderName = `${prefix}-delay`;
  const basis = { url, queueType: 'classic', clock: systemClock, log: silentLog } as const;
  const outsider = new BrokerConnection({ ...basis, purpose: 'inspect' });
  const opened: RabbitJobQueue[] = [];
  const open = async (more: Partial<RabbitQueueOptions> = {}) => {
    const queue = await openRabbitQueue({ ...basis, ladderName, ...options, ...more });
    opened.push(queue);
    return queue;
  };
  return {
    queue: await open(),
    outsider,
    name(purpose) {
      const name = `${prefix}-${purpose}`;
      used.add(name);
      return name;
    },
    open,
    async close() {
      await Promise.all(opened.map((queue) => queue.close()));
      await remove(outsider, [...used], ladderName);
      await outsider.close();
    },
  };
}

/** The same queues with the rig's prefix added to each name, for the contract suite. */
export function underPrefix({ queue, name }: RabbitRig): JobQueue {
  return {
    publish: (own, message, options) => queue.publish(name(own), message, options),
    consume: (own, options, handler) => queue.consume(name(own), options, handler),
    depth: (own) => queue.depth(name(own)),
    missing: (own, messages) => queue.missing(name(own), messages),
    ahead: () => queue.ahead(),
    close: () => queue.close(),
  };
}

export function collectingLog(): Log & { readonly entries: LogEntry[] } {
  const entries: LogEntry[] = [];
  return { entries, write: (entry) => void entries.push(entry), flush: () => Promise.resolve() };
}

async function remove(
  outsider: BrokerConnection,
  queues: readonly string[],
  ladderName: string,
): Promise<void> {
  const { exit, unrouted, unroutedQueue, levels } = describeLadder(ladderName, 'quorum');
  const levelQueues = levels.map(({ queue }) => queue.queue);
  const exchanges = [exit, unrouted, ...levels.map((level) => level.exchange)];
  await outsider.withChannel(async (channel) => {
    for (const queue of [...queues, ...levelQueues, unroutedQueue.queue])
      await channel.queueDelete({ queue });
    for (const exchange of exchanges) await channel.exchangeDelete({ exchange });
  });
}
