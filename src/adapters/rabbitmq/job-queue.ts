// Job queues on RabbitMQ. A publish resolves on the broker's confirm; the ladder delays messages; the broker redelivers
// the unacknowledged messages of a dead process. Queues are first in, first out, without tenant queues or priorities.
// While the broker is unavailable publishing rejects and consumers wait; both resume automatically.

import type {
  ConsumeOptions,
  Consumer,
  DeliveryHandler,
  JobQueue,
  PublishOptions,
  QueueDepth,
  QueueMessage,
} from '../../jobs/ports/job-queue.ts';
import { type Log, logFailure } from '../../kernel/log.ts';
import type { BrokerConnection } from './connection/broker-connection.ts';
import { QueueConsumer, type ReplacementOf } from './consume/queue-consumer.ts';
import type { Replacement } from './consume/transactions.ts';
import { type BrokerInspection, inspectBroker } from './inspect/inspect-broker.ts';
import { depthOf, missingFrom } from './inspect/queue-depth.ts';
import {
  DUE_HEADER,
  type OutgoingMessage,
  outgoing,
  withHeader,
} from './publish/outgoing-message.ts';
import type { Publisher } from './publish/publisher.ts';
import { afterFixedDelay, directTo, dueAtQueue, type Route } from './publish/route.ts';
import type { DepartedMessages } from './topology/departed-messages.ts';
import { LongDelays } from './topology/long-delays.ts';
import { fixedDelayQueue } from './topology/queue-definition.ts';
import type { QueueOwner } from './topology/queue-owner.ts';
import { Topology, type TopologySettings } from './topology/topology.ts';

export type RabbitJobQueueParts = {
  readonly url: string;
  /** An alarm blocks a publishing connection; acknowledgements have their own, which stays open. */
  readonly publishing: BrokerConnection;
  readonly consuming: BrokerConnection;
  /** Transactional consumers publish on their own connection, which an alarm blocks with them. Opened on first use. */
  readonly openForwarding: () => BrokerConnection;
  readonly publisher: Publisher;
  readonly settings: TopologySettings;
  readonly departed: DepartedMessages;
  readonly log: Log;
  /** Deliveries that the broker sends ahead; raised to the concurrency of a consumer. */
  readonly prefetch: number | undefined;
  /** Refuses queues of another store. */
  readonly owner?: QueueOwner | undefined;
};

type Published = Parameters<ReplacementOf>;

/** Longer delays stay in the store. */
const MAX_DELAY_MS = 900_000;
const LEAD_MS = 300_000;

export class RabbitJobQueue implements JobQueue {
  readonly longestDelayMs = MAX_DELAY_MS;
  readonly #parts: RabbitJobQueueParts;
  readonly #consumers = new Map<QueueConsumer, string>();
  readonly #fixedDelays = new Map<string, Set<string>>();
  readonly #longDelays: LongDelays;
  #forwarding: BrokerConnection | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: RabbitJobQueueParts) {
    this.#parts = parts;
    this.#longDelays = new LongDelays({ clock: parts.publishing.clock, leadMs: LEAD_MS });
  }

  /** Whether both connections are ready. */
  isUp(): boolean {
    return this.#parts.publishing.isReady && this.#parts.consuming.isReady;
  }

  /** A queue that belongs to another store; undefined if every queue is this store's, or the broker is unavailable. */
  async findForeignQueue(): Promise<string | undefined> {
    return this.isUp() ? this.#parts.owner?.findForeign() : undefined;
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

  /** Delays the message on `{queue}-delayed-{ms}ms`, as the existing systems do. */
  async publishDelayedFixed(queue: string, message: QueueMessage, delayMs: number): Promise<void> {
    const { publisher, publishing } = this.#parts;
    const { queue: name } = fixedDelayQueue(queue, delayMs, 'classic');
    this.#fixedDelays.set(queue, (this.#fixedDelays.get(queue) ?? new Set()).add(name));
    const sent = outgoing(message, publishing.clock.now());
    await publisher.publish(afterFixedDelay(queue, delayMs), sent);
  }

  consume(queue: string, options: ConsumeOptions, handler: DeliveryHandler): Consumer {
    const { consuming, settings, departed, log, prefetch = 1, owner } = this.#parts;
    const { concurrency, finishing = 0, signal, isTransactional = false } = options;
    const connection = isTransactional ? this.#openForwarding() : consuming;
    const topology = new Topology(connection, settings);
    const consumer = new QueueConsumer({
      queue,
      concurrency,
      finishing,
      prefetch: Math.max(prefetch, concurrency + finishing),
      isTransactional,
      handler,
      connection,
      log,
      async prepare() {
        // A reconnect may lead to a broker that lost its data.
        topology.forget();
        await owner?.assertOwn(queue);
        await prepareToConsume(topology, queue, log);
      },
      onIncoming: ({ publishedAt }) => departed.note(queue, publishedAt ?? 0),
      publishCopy: (message, dueAt) => this.#publishAt(queue, message, dueAt),
      replacementOf: (...published) => this.#replacementOf(topology, published),
    });
    this.#consumers.set(consumer, queue);
    const close = async () => {
      await consumer.close();
      this.#consumers.delete(consumer);
    };
    // Not awaited: `close` never rejects, and a caller that has to wait calls it too.
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
    return missingFrom(this.#parts.consuming, this.#parts.departed, queue, messages);
  }

  /** RabbitMQ does not report positions. */
  ahead(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** State, problems and remedies of the queues. Changes nothing. */
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
    this.#longDelays.close();
    await Promise.all([...this.#consumers.keys()].map((consumer) => consumer.close()));
    await publisher.close();
    await Promise.all([publishing.close(), consuming.close(), this.#forwarding?.close()]);
  }

  #openForwarding(): BrokerConnection {
    this.#forwarding ??= this.#parts.openForwarding();
    return this.#forwarding;
  }

  /** Not async: that would cost every message two more promises. */
  #publishNow(queue: string, message: QueueMessage): Promise<void> {
    const { publisher, publishing } = this.#parts;
    try {
      const sent = outgoing(message, publishing.clock.now());
      return publisher.publish(directTo(queue), sent);
    } catch (cause) {
      return Promise.reject(cause);
    }
  }

  async #publishLater(queue: string, message: QueueMessage, delayMs: number): Promise<void> {
    const now = this.#parts.publishing.clock.now();
    const sent = outgoing(message, now);
    const dueAt = now + delayMs;
    if (delayMs <= MAX_DELAY_MS) return this.#publishAt(queue, sent, dueAt);
    this.#longDelays.keep(dueAt, () => this.#publishDue(queue, sent, dueAt));
  }

  #publishAt(queue: string, message: OutgoingMessage, dueAt: number): Promise<void> {
    const { publisher, publishing } = this.#parts;
    const route = dueAtQueue(queue, dueAt, publishing.clock);
    return publisher.publish(route, withHeader(message, DUE_HEADER, dueAt));
  }

  /** A message of a queue that was deleted meanwhile is published again like any other. */
  async #replacementOf(topology: Topology, published: Published): Promise<Replacement> {
    const [queue, given] = published;
    const { publisher, publishing, log } = this.#parts;
    const message = outgoing(given, publishing.clock.now());
    const route = this.#routeFor(published);
    const address = route.known(topology) ?? (await route.prepare(topology));
    function onReturned(): void {
      topology.forget();
      publisher
        .publish(route, message)
        .catch((cause: unknown) => warn(log, 'message cannot be published again', queue, cause));
    }
    return { message, address, onReturned };
  }

  #routeFor([queue, , { delayMs = 0, isFixedDelay = false } = {}]: Published): Route {
    const { clock } = this.#parts.publishing;
    if (delayMs <= 0) return directTo(queue);
    if (isFixedDelay) return afterFixedDelay(queue, delayMs);
    return dueAtQueue(queue, clock.now() + delayMs, clock);
  }

  #publishDue(queue: string, message: OutgoingMessage, dueAt: number): void {
    this.#publishAt(queue, message, dueAt).catch((cause: unknown) =>
      warn(
        this.#parts.log,
        'publish of a long delay failed: the job is left to the sweeper',
        queue,
        cause,
      ),
    );
  }
}

/** Consuming works without the ladder; only retries wait for it. */
async function prepareToConsume(topology: Topology, queue: string, log: Log): Promise<void> {
  await topology.queue(queue);
  try {
    await topology.delayed(queue);
  } catch (cause) {
    warn(log, 'delay queues cannot be declared', queue, cause);
  }
}

function warn(log: Log, message: string, queue: string, cause: unknown): void {
  logFailure(log, message, cause, { level: 'warn', metadata: { queue } });
}
