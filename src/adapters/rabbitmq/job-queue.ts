// The queues on RabbitMQ. Publishing is a confirm; a delay is the ladder's; a message that a process had in hand when
// it died is delivered again by the broker. Lanes and priorities are not kept: first in, first out. While the
// broker is away publishing rejects, consumers wait, and all goes on by itself when it is back.

import type {
  ConsumeOptions,
  DeliveryHandler,
  JobQueue,
  QueueMessage,
} from '../../jobs/job-queue.ts';
import type { Log } from '../../kernel/log.ts';
import type { BrokerConnection } from './broker-connection.ts';
import { reasonOf } from './broker-error.ts';
import { lookAtQueue } from './declare-queue.ts';
import { delayKey } from './delay-ladder.ts';
import { type BrokerInspection, inspectBroker } from './inspect-broker.ts';
import type { LeftQueues } from './left-queues.ts';
import { LongWaits } from './long-waits.ts';
import { DUE_HEADER, type OutgoingMessage, outgoing, withHeader } from './outgoing-message.ts';
import type { Publisher, Route } from './publisher.ts';
import { QueueConsumer } from './queue-consumer.ts';
import { fixedDelayQueue, type QueueType } from './queue-definition.ts';
import { depthOf } from './queue-figures.ts';
import { Topology, type TopologySettings } from './topology.ts';

export type RabbitQueue = JobQueue & {
  readonly longestDelayMs: number;
  /** Holds the message back on `{queue}-delayed-{ms}ms`, as the existing systems do. */
  publishDelayedFixed(queue: string, message: QueueMessage, delayMs: number): Promise<void>;
  /** What is there, what is wrong with it and how to mend it. Changes nothing. */
  inspectQueues(names: readonly string[]): Promise<BrokerInspection>;
};

export type RabbitQueueParts = {
  readonly url: string;
  /** An alarm stops what publishes; that must not stop acknowledging, so there are two. */
  readonly publishing: BrokerConnection;
  readonly consuming: BrokerConnection;
  readonly publisher: Publisher;
  readonly settings: TopologySettings;
  readonly left: LeftQueues;
  readonly log: Log;
  /** How many deliveries a consumer is sent ahead; at least its concurrency. */
  readonly prefetch: number | undefined;
};

/** Longer waits stay in the store. */
const LONGEST_DELAY_MS = 900_000;
const HAND_OVER_MS = 300_000;

export function createJobQueue(parts: RabbitQueueParts): RabbitQueue {
  const { publishing, consuming, publisher, settings, left, log } = parts;
  const { clock } = publishing;
  const consumers = new Map<QueueConsumer, string>();
  const fixedDelays = new Map<string, Set<string>>();
  const longWaits = new LongWaits({ clock, handOverMs: HAND_OVER_MS });
  let closing: Promise<void> | undefined;

  function publishAt(queue: string, message: OutgoingMessage, dueAt: number): Promise<void> {
    const route: Route = async (topology) => {
      const exchange = await topology.delayed(queue);
      // Reckoned when it is sent: what publishing took so far is part of the wait.
      return { exchange, routingKey: delayKey(queue, dueAt - clock.now()) };
    };
    return publisher.publish(route, withHeader(message, DUE_HEADER, dueAt));
  }

  function handOver(queue: string, message: OutgoingMessage, dueAt: number): void {
    publishAt(queue, message, dueAt).catch((cause: unknown) =>
      tell(log, 'a long wait is left to the sweeper', { queue, reason: reasonOf(cause) }),
    );
  }

  function consume(queue: string, options: ConsumeOptions, handler: DeliveryHandler) {
    const { concurrency } = options;
    const prefetch = Math.max(parts.prefetch ?? concurrency, concurrency);
    const consumer = new QueueConsumer({
      queue,
      concurrency,
      prefetch,
      handler,
      connection: consuming,
      log,
      prepare: () => prepareToConsume(new Topology(consuming, settings), queue, log),
      onIncoming: ({ publishedAt }) => {
        if (publishedAt !== undefined) left.note(queue, publishedAt);
      },
      publishAgain: (message, dueAt) => publishAt(queue, message, dueAt),
    });
    consumers.set(consumer, queue);
    const close = async () => {
      await consumer.close();
      consumers.delete(consumer);
    };
    // Nobody waits here; whoever wants to wait calls close, which never rejects.
    options.signal?.addEventListener('abort', () => void close(), { once: true });
    if (options.signal?.aborted) void close();
    return { close };
  }

  async function closeAll(): Promise<void> {
    longWaits.close();
    await Promise.all([...consumers.keys()].map((consumer) => consumer.close()));
    await publisher.close();
    await Promise.all([publishing.close(), consuming.close()]);
  }

  return {
    longestDelayMs: LONGEST_DELAY_MS,
    async publish(queue, message, { delayMs = 0 } = {}) {
      const now = clock.now();
      const sent = outgoing(message, now);
      const dueAt = now + delayMs;
      if (delayMs > LONGEST_DELAY_MS)
        return longWaits.keep(dueAt, () => handOver(queue, sent, dueAt));
      if (delayMs > 0) return publishAt(queue, sent, dueAt);
      const route: Route = async (topology) => {
        await topology.queue(queue);
        return { exchange: '', routingKey: queue };
      };
      return publisher.publish(route, sent);
    },
    async publishDelayedFixed(queue, message, delayMs) {
      const name = fixedDelayQueue(queue, delayMs, settings.queueType).queue;
      const route: Route = async (topology) => {
        await topology.fixedDelay(queue, delayMs);
        return { exchange: '', routingKey: name };
      };
      fixedDelays.set(queue, (fixedDelays.get(queue) ?? new Set()).add(name));
      await publisher.publish(route, outgoing(message, clock.now()));
    },
    consume,
    depth: (queue) =>
      depthOf(consuming, {
        queue,
        ladderName: settings.ladderName,
        fixedDelays: [...(fixedDelays.get(queue) ?? [])],
        unsettled: sum([...consumers].map(([own, name]) => (name === queue ? own.unsettled : 0))),
      }),
    async missing(queue, messages) {
      const askedAt = clock.now();
      const figures = await lookAtQueue(consuming, queue);
      if (!figures || figures.messages === 0) left.note(queue, askedAt);
      const isServed = (figures?.consumers ?? 0) > 0;
      return messages
        .filter(({ publishedAt }) => left.hasLeft(queue, publishedAt, isServed))
        .map(({ id }) => id);
    },
    ahead: () => Promise.resolve(undefined),
    inspectQueues: (names) =>
      inspectBroker(consuming, { url: parts.url, names, ...ladderAndType(settings) }),
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

/** Without the ladder messages can be consumed all the same; only putting them off has to wait for it. */
async function prepareToConsume(topology: Topology, queue: string, log: Log): Promise<void> {
  await topology.queue(queue);
  try {
    await topology.delayed(queue);
  } catch (cause) {
    tell(log, 'the queues for delays cannot be made', { queue, reason: reasonOf(cause) });
  }
}

function ladderAndType({ ladderName, queueType }: TopologySettings): {
  readonly ladderName: string;
  readonly queueType: QueueType;
} {
  return { ladderName, queueType };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function tell(log: Log, message: string, metadata: Readonly<Record<string, unknown>>): void {
  log.write({ level: 'warn', type: 'error', message, metadata });
}
