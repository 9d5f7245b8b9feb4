// The queues on RabbitMQ. Publishing is a confirm; a delay is the ladder's; a message that a process had in hand when
// it died is delivered again by the broker. Lanes and priorities are not kept: first in, first out. While the
// broker is away publishing rejects, consumers wait, and all goes on by itself when it is back.

import type {
  ConsumeOptions,
  Consumer,
  DeliveryHandler,
  JobQueue,
  PublishOptions,
  QueueDepth,
  QueueMessage,
} from '../../jobs/ports/job-queue.ts';
import type { Log } from '../../kernel/log.ts';
import type { BrokerConnection } from './connection/broker-connection.ts';
import { reasonOf } from './connection/broker-error.ts';
import { QueueConsumer } from './consume/queue-consumer.ts';
import { type BrokerInspection, inspectBroker } from './inspect/inspect-broker.ts';
import { depthOf, missingFrom } from './inspect/queue-figures.ts';
import {
  DUE_HEADER,
  type OutgoingMessage,
  outgoing,
  withHeader,
} from './publish/outgoing-message.ts';
import type { Publisher } from './publish/publisher.ts';
import { afterFixedDelay, dueAtQueue, straightTo } from './publish/route.ts';
import type { LeftQueues } from './topology/left-queues.ts';
import { LongWaits } from './topology/long-waits.ts';
import { fixedDelayQueue } from './topology/queue-definition.ts';
import { Topology, type TopologySettings } from './topology/topology.ts';

export type RabbitJobQueueParts = {
  readonly url: string;
  /** An alarm stops what publishes; that must not stop acknowledging, so there are two. */
  readonly publishing: BrokerConnection;
  readonly consuming: BrokerConnection;
  readonly publisher: Publisher;
  readonly settings: TopologySettings;
  readonly left: LeftQueues;
  readonly log: Log;
  /** How many deliveries a consumer is sent ahead; at least as many as it may have in hand. */
  readonly prefetch: number | undefined;
};

/** Longer waits stay in the store. */
const MAX_DELAY_MS = 900_000;
const HAND_OVER_MS = 300_000;

export class RabbitJobQueue implements JobQueue {
  readonly longestDelayMs = MAX_DELAY_MS;
  readonly #parts: RabbitJobQueueParts;
  readonly #consumers = new Map<QueueConsumer, string>();
  readonly #fixedDelays = new Map<string, Set<string>>();
  readonly #longWaits: LongWaits;
  #closing: Promise<void> | undefined;

  constructor(parts: RabbitJobQueueParts) {
    this.#parts = parts;
    this.#longWaits = new LongWaits({ clock: parts.publishing.clock, handOverMs: HAND_OVER_MS });
  }

  /** Whether the broker can be reached now, for publishing and for consuming. */
  isUp(): boolean {
    return this.#parts.publishing.isReady && this.#parts.consuming.isReady;
  }

  publish(
    queue: string,
    message: QueueMessage,
    { delayMs = 0, isFixedDelay = false }: PublishOptions = {},
  ): Promise<void> {
    if (delayMs <= 0) return this.#publishNow(queue, message);
    if (isFixedDelay) return this.publishDelayedFixed(queue, message, delayMs);
    return this.#publishLater(queue, message, delayMs);
  }

  /** Holds the message back on `{queue}-delayed-{ms}ms`, where the existing systems do. */
  async publishDelayedFixed(queue: string, message: QueueMessage, delayMs: number): Promise<void> {
    const { publisher, publishing } = this.#parts;
    const { queue: name } = fixedDelayQueue(queue, delayMs, 'classic');
    this.#fixedDelays.set(queue, (this.#fixedDelays.get(queue) ?? new Set()).add(name));
    const sent = outgoing(message, publishing.clock.now());
    await publisher.publish(afterFixedDelay(queue, delayMs), sent);
  }

  consume(queue: string, options: ConsumeOptions, handler: DeliveryHandler): Consumer {
    const { consuming: connection, settings, left, log, prefetch = 1 } = this.#parts;
    const { concurrency, finishing = 0, signal } = options;
    const consumer = new QueueConsumer({
      queue,
      concurrency,
      finishing,
      prefetch: Math.max(prefetch, concurrency + finishing),
      handler,
      connection,
      log,
      prepare: () => prepareToConsume(new Topology(connection, settings), queue, log),
      onIncoming: ({ publishedAt }) => left.note(queue, publishedAt ?? 0),
      publishAgain: (message, dueAt) => this.#publishAt(queue, message, dueAt),
    });
    this.#consumers.set(consumer, queue);
    const close = async () => {
      await consumer.close();
      this.#consumers.delete(consumer);
    };
    // Nobody waits here; whoever wants to wait calls close, which never rejects.
    signal?.addEventListener('abort', () => void close(), { once: true });
    if (signal?.aborted) void close();
    return { close };
  }

  depth(queue: string): Promise<QueueDepth> {
    const { consuming, settings } = this.#parts;
    const own = [...this.#consumers].filter(([, name]) => name === queue);
    return depthOf(consuming, {
      queue,
      ladderName: settings.ladderName,
      fixedDelays: this.#fixedDelays.get(queue) ?? [],
      unsettled: own.reduce((sum, [consumer]) => sum + consumer.unsettled, 0),
    });
  }

  missing(
    queue: string,
    messages: readonly { readonly id: string; readonly publishedAt: number }[],
  ): Promise<readonly string[]> {
    return missingFrom(this.#parts.consuming, this.#parts.left, queue, messages);
  }

  /** RabbitMQ cannot tell. */
  ahead(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** What is there, what is wrong with it and how to mend it. Changes nothing. */
  inspectQueues(names: readonly string[]): Promise<BrokerInspection> {
    const { url, consuming, settings } = this.#parts;
    return inspectBroker(consuming, { url, names, ladderName: settings.ladderName });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { publisher, publishing, consuming } = this.#parts;
    this.#longWaits.close();
    await Promise.all([...this.#consumers.keys()].map((consumer) => consumer.close()));
    await publisher.close();
    await Promise.all([publishing.close(), consuming.close()]);
  }

  /** Not an async function, which would cost every message two promises more. */
  #publishNow(queue: string, message: QueueMessage): Promise<void> {
    const { publisher, publishing } = this.#parts;
    try {
      const sent = outgoing(message, publishing.clock.now());
      return publisher.publish(straightTo(queue), sent);
    } catch (cause) {
      return Promise.reject(cause);
    }
  }

  async #publishLater(queue: string, message: QueueMessage, delayMs: number): Promise<void> {
    const now = this.#parts.publishing.clock.now();
    const sent = outgoing(message, now);
    const dueAt = now + delayMs;
    if (delayMs <= MAX_DELAY_MS) return this.#publishAt(queue, sent, dueAt);
    this.#longWaits.keep(dueAt, () => this.#handOver(queue, sent, dueAt));
  }

  #publishAt(queue: string, message: OutgoingMessage, dueAt: number): Promise<void> {
    const { publisher, publishing } = this.#parts;
    const route = dueAtQueue(queue, dueAt, publishing.clock);
    return publisher.publish(route, withHeader(message, DUE_HEADER, dueAt));
  }

  #handOver(queue: string, message: OutgoingMessage, dueAt: number): void {
    this.#publishAt(queue, message, dueAt).catch((cause: unknown) =>
      tell(this.#parts.log, 'a long wait is left to the sweeper', queue, cause),
    );
  }
}

/** Without the ladder messages can be consumed all the same; only putting them off has to wait for it. */
async function prepareToConsume(topology: Topology, queue: string, log: Log): Promise<void> {
  await topology.queue(queue);
  try {
    await topology.delayed(queue);
  } catch (cause) {
    tell(log, 'the queues for delays cannot be made', queue, cause);
  }
}

function tell(log: Log, message: string, queue: string, cause: unknown): void {
  const metadata = { queue, reason: reasonOf(cause) };
  log.write({ level: 'warn', type: 'error', message, metadata });
}
