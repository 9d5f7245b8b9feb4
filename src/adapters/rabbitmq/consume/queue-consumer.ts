// Consumes one queue with bounded concurrency. It resubscribes whenever the connection, the channel or the queue is
// lost. A delivery is acknowledged after its handler, or, for a retry, after the broker has confirmed its copy. Only
// deliveries that were not started are requeued: a requeued message comes back at once, which would be a loop for a
// retry. Deliveries outside their slots fill the prefetch window of their channel. When it has no place left for the
// concurrency, a new subscription takes over, and the channel stays open until its deliveries are settled.
// States: subscribing ⇄ subscribed; closing (starts no delivery, waits for those in progress) → closed.

import type { AsyncMessage } from 'rabbitmq-client';
import type {
  Consumer,
  Delivery,
  DeliveryHandler,
  DeliveryOutcome,
  OutsideSlot,
} from '../../../jobs/ports/job-queue.ts';
import { sleep } from '../../../kernel/clock.ts';
import { type Log, logFailure } from '../../../kernel/log.ts';
import { type RunSlot, RunSlots } from '../../../kernel/run-slots.ts';
import type { BrokerConnection } from '../connection/broker-connection.ts';
import { within } from '../connection/time-limit.ts';
import type { OutgoingMessage } from '../publish/outgoing-message.ts';
import { type IncomingMessage, readIncoming, uncounted } from './incoming-message.ts';
import { Subscription } from './subscription.ts';
import type { Replacement } from './transactions.ts';

export type QueueConsumerParts = {
  readonly queue: string;
  readonly concurrency: number;
  readonly finishing: number;
  readonly prefetch: number;
  readonly isTransactional: boolean;
  readonly handler: DeliveryHandler;
  readonly connection: BrokerConnection;
  readonly log: Log;
  /** Declares the queue. */
  readonly prepare: () => Promise<void>;
  readonly onIncoming: (message: IncomingMessage) => void;
  /** Resolves when the broker has confirmed the copy, which it delivers at `dueAt`. */
  readonly publishCopy: (message: OutgoingMessage, dueAt: number) => Promise<void>;
  /** Resolves to the message and address that replace a delivery; declares the address. */
  readonly replacementOf: ReplacementOf;
};

export type ReplacementOf = (
  ...published: Parameters<NonNullable<Delivery['replaceBy']>>
) => Promise<Replacement>;

type Retry = Exclude<DeliveryOutcome, 'ack'>;
type Received = {
  readonly message: IncomingMessage;
  readonly subscription: Subscription;
  /** Whether the delivery is replaced, or the attempt to replace it has closed the channel. */
  isReplaced: boolean;
};

const THROWN_RETRY_MS = 5000;
const PUBLISH_RETRY_MS = 1000;
const CANCEL_TIMEOUT_MS = 5000;
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;
/** Tolerance for the difference between servers' clocks. */
const CLOCK_SKEW_MS = 1000;

export class QueueConsumer implements Consumer {
  readonly #parts: QueueConsumerParts;
  readonly #closing = new AbortController();
  readonly #notStarted: Received[] = [];
  readonly #inProgress = new Map<Received, Promise<void>>();
  readonly #slots: RunSlots;
  readonly #endings = new Set<Promise<void>>();
  readonly #outsideSlots = new Set<Received>();
  readonly #subscribing: Promise<void>;
  #closed: Promise<void> | undefined;

  constructor(parts: QueueConsumerParts) {
    this.#parts = parts;
    this.#slots = new RunSlots(parts.concurrency, parts.finishing);
    this.#subscribing = this.#keepSubscribed();
  }

  /** Delivered to us and not settled yet. */
  get unsettled(): number {
    return this.#notStarted.length + this.#inProgress.size;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    const { connection } = this.#parts;
    // Without a connection there is nothing to cancel; the attempt to subscribe ends by itself.
    const timeoutMs = connection.isReady ? CANCEL_TIMEOUT_MS : 0;
    await within(connection.clock, timeoutMs, this.#subscribing, 'cancel').catch(() => {});
    await Promise.all(this.#inProgress.values());
    await Promise.all(this.#endings);
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  async #keepSubscribed(): Promise<void> {
    let failures = 0;
    while (!this.#isClosing) {
      try {
        await this.#parts.prepare();
        // Closed meanwhile: a subscription would only receive messages to requeue them.
        if (this.#isClosing) return;
        const subscription = await this.#subscribe();
        failures = 0;
        await this.#untilEnded(subscription);
        await this.#end(subscription);
        if (subscription.isReplaced) continue;
      } catch (cause) {
        failures += 1;
        if (failures === 1) this.#log('queue cannot be consumed', cause);
      }
      await this.#pause(Math.min(MIN_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS));
    }
  }

  #subscribe(): Promise<Subscription> {
    const { connection, queue, prefetch, isTransactional } = this.#parts;
    const onMessage = (message: AsyncMessage, subscription: Subscription) =>
      this.#receive(message, subscription);
    return Subscription.open(connection, { queue, prefetch, isTransactional, onMessage });
  }

  async #untilEnded(subscription: Subscription): Promise<void> {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const onAbort = () => resolve();
    this.#closing.signal.addEventListener('abort', onAbort, { once: true });
    if (!this.#isClosing) await Promise.race([subscription.ended, aborted]);
    this.#closing.signal.removeEventListener('abort', onAbort);
  }

  /** Requeues deliveries that were not started; the channel stays open until the started ones are settled. */
  async #end(subscription: Subscription): Promise<void> {
    await subscription.cancel();
    for (const { message } of this.#takeNotStarted(subscription)) subscription.requeue(message.tag);
    const own = [...this.#inProgress].filter(
      ([received]) => received.subscription === subscription,
    );
    const ending = Promise.all(own.map(([, work]) => work))
      .then(() => subscription.close())
      .finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }

  #takeNotStarted(subscription: Subscription): readonly Received[] {
    const all = this.#notStarted.splice(0);
    this.#notStarted.push(...all.filter((received) => received.subscription !== subscription));
    return all.filter((received) => received.subscription === subscription);
  }

  /** The driver calls this: a throw here would be an uncaught exception. */
  #receive(delivered: AsyncMessage, subscription: Subscription): void {
    try {
      if (this.#isClosing) return subscription.requeue(delivered.deliveryTag);
      const message = readIncoming(delivered);
      this.#parts.onIncoming(message);
      this.#notStarted.push({ message, subscription, isReplaced: false });
      this.#startNext();
    } catch (cause) {
      this.#log('delivery cannot be read', cause);
    }
  }

  #startNext(): void {
    while (!this.#isClosing && this.#slots.free > 0) {
      const received = this.#notStarted.shift();
      if (!received) return;
      this.#start(received);
    }
  }

  #start(received: Received): void {
    const slot = this.#slots.acquire();
    // `#work` always awaits something, so the entry is set before it ends.
    this.#inProgress.set(received, this.#work(received, slot));
  }

  /** One async function per delivery, because each further one would cost it more promises. */
  async #work(received: Received, slot: RunSlot): Promise<void> {
    const earlyMs = (received.message.dueAt ?? 0) - this.#parts.connection.clock.now();
    try {
      const outcome =
        earlyMs > CLOCK_SKEW_MS
          ? { retryAfterMs: earlyMs, isUncounted: true }
          : await this.#handle(received, slot);
      if (received.isReplaced) return;
      if (outcome === 'ack') received.subscription.ack(received.message.tag);
      else await this.#retry(received, outcome);
    } catch (cause) {
      this.#log('delivery failed and is retried', cause);
      if (received.isReplaced) return;
      await this.#retry(received, { retryAfterMs: THROWN_RETRY_MS });
    } finally {
      slot.release();
      this.#inProgress.delete(received);
      this.#startNext();
    }
  }

  #handle(received: Received, slot: RunSlot): Promise<DeliveryOutcome> {
    const releaseSlot = () => {
      slot.startFinishing();
      this.#startNext();
    };
    const outsideSlot: OutsideSlot = async (work) => {
      slot.setAside();
      this.#outsideSlots.add(received);
      this.#startNext();
      this.#replaceWhenFull(received.subscription);
      try {
        return await work();
      } finally {
        this.#outsideSlots.delete(received);
        await slot.resume();
      }
    };
    const { delivery } = received.message;
    if (this.#parts.isTransactional)
      delivery.replaceBy = async (...published) => {
        const replacement = await this.#parts.replacementOf(...published);
        received.isReplaced = true;
        await received.subscription.replaceDelivery(received.message.tag, replacement);
      };
    return this.#parts.handler(delivery, releaseSlot, outsideSlot);
  }

  #replaceWhenFull(subscription: Subscription): void {
    const { prefetch, concurrency } = this.#parts;
    const outside = [...this.#outsideSlots].filter((each) => each.subscription === subscription);
    if (prefetch - outside.length < concurrency) subscription.replace();
  }

  /** Acknowledges once the copy is confirmed. If that never happens, the broker still has the delivery. */
  async #retry({ message, subscription }: Received, retry: Retry): Promise<void> {
    const dueAt = this.#parts.connection.clock.now() + retry.retryAfterMs;
    const { copy } = retry.isUncounted ? uncounted(message) : message;
    while (subscription.isLive) {
      try {
        await this.#parts.publishCopy(copy(), dueAt);
        return subscription.ack(message.tag);
      } catch (cause) {
        this.#log('copy of a delivery cannot be published', cause);
        if (this.#isClosing) return;
        await this.#pause(PUBLISH_RETRY_MS);
      }
    }
  }

  /** With jitter, so that consumers do not reconnect to a recovered broker all at once. */
  async #pause(ms: number): Promise<void> {
    const { clock } = this.#parts.connection;
    const pauseMs = ms * (0.5 + clock.random() / 2);
    await sleep(clock, pauseMs, this.#closing.signal).catch(() => {});
  }

  #log(message: string, cause: unknown): void {
    const { log, queue } = this.#parts;
    logFailure(log, message, cause, { metadata: { queue } });
  }
}
