// Takes the messages of one queue and hands them to a handler, so many at once. It subscribes again for ever when
// the connection, the channel or the queue is lost. A delivery is acknowledged after its handler, and after the
// confirm of its next turn when it is to come again. Nothing is requeued but what was never started: a requeued
// message comes back at once, and that is a loop.
// States: subscribing ⇄ subscribed; closing (takes no more, waits for what is in hand) → closed.

import type { AsyncMessage } from 'rabbitmq-client';
import type { Consumer, DeliveryHandler, DeliveryOutcome } from '../../../jobs/ports/job-queue.ts';
import { sleep } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import { type RunSlot, RunSlots } from '../../../kernel/run-slots.ts';
import type { BrokerConnection } from '../connection/broker-connection.ts';
import { reasonOf } from '../connection/broker-error.ts';
import { within } from '../connection/time-limit.ts';
import type { OutgoingMessage } from '../publish/outgoing-message.ts';
import { type IncomingMessage, notCounted, readIncoming } from './incoming-message.ts';
import { Subscription } from './subscription.ts';

export type QueueConsumerParts = {
  readonly queue: string;
  readonly concurrency: number;
  readonly finishing: number;
  readonly prefetch: number;
  readonly handler: DeliveryHandler;
  readonly connection: BrokerConnection;
  readonly log: Log;
  /** Makes sure that the queue is there. */
  readonly prepare: () => Promise<void>;
  readonly onIncoming: (message: IncomingMessage) => void;
  /** Resolves when the broker has it, to be delivered again at that moment. */
  readonly publishAgain: (message: OutgoingMessage, dueAt: number) => Promise<void>;
};

type WantedAgain = Exclude<DeliveryOutcome, 'ack'>;
type Held = { readonly message: IncomingMessage; readonly subscription: Subscription };

const HANDLER_THREW_MS = 5000;
const PUBLISH_AGAIN_MS = 1000;
const LEAVE_WITHIN_MS = 5000;
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 5000;
/** Clocks differ: a message that is only a little early by ours is not. */
const EARLY_BY_MS = 1000;

export class QueueConsumer implements Consumer {
  readonly #parts: QueueConsumerParts;
  readonly #closing = new AbortController();
  readonly #notStarted: Held[] = [];
  readonly #inHand = new Map<Held, Promise<void>>();
  readonly #slots: RunSlots;
  readonly #endings = new Set<Promise<void>>();
  readonly #subscribing: Promise<void>;
  #closed: Promise<void> | undefined;

  constructor(parts: QueueConsumerParts) {
    this.#parts = parts;
    this.#slots = new RunSlots(parts.concurrency, parts.finishing);
    this.#subscribing = this.#keepSubscribed();
  }

  /** Delivered to us and not settled yet. */
  get unsettled(): number {
    return this.#notStarted.length + this.#inHand.size;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    const { connection } = this.#parts;
    // On a broker that is away there is nothing to take leave of; the attempt to subscribe ends by itself.
    const leaveMs = connection.isReady ? LEAVE_WITHIN_MS : 0;
    await within(connection.clock, leaveMs, this.#subscribing, 'cancel').catch(() => {});
    await Promise.all(this.#inHand.values());
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
        // Closed meanwhile: subscribing now would only take messages in order to give them back.
        if (this.#isClosing) return;
        const subscription = await this.#subscribe();
        failures = 0;
        await this.#untilEnded(subscription);
        await this.#leave(subscription);
      } catch (cause) {
        failures += 1;
        if (failures === 1) this.#tell('queue cannot be consumed', cause);
      }
      await this.#pause(Math.min(FIRST_PAUSE_MS * 2 ** failures, LAST_PAUSE_MS));
    }
  }

  #subscribe(): Promise<Subscription> {
    const { connection, queue, prefetch } = this.#parts;
    const onMessage = (message: AsyncMessage, subscription: Subscription) =>
      this.#receive(message, subscription);
    return Subscription.open(connection, { queue, prefetch, onMessage });
  }

  async #untilEnded(subscription: Subscription): Promise<void> {
    const { promise: told, resolve } = Promise.withResolvers<void>();
    const tell = () => resolve();
    this.#closing.signal.addEventListener('abort', tell, { once: true });
    if (!this.#isClosing) await Promise.race([subscription.ended, told]);
    this.#closing.signal.removeEventListener('abort', tell);
  }

  /** Gives back what was not started; the channel stays until what was has been settled on it. */
  async #leave(subscription: Subscription): Promise<void> {
    await subscription.cancel();
    for (const { message } of this.#takeNotStarted(subscription))
      subscription.giveBack(message.tag);
    const own = [...this.#inHand].filter(([held]) => held.subscription === subscription);
    const ending = Promise.all(own.map(([, work]) => work))
      .then(() => subscription.close())
      .finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }

  #takeNotStarted(subscription: Subscription): readonly Held[] {
    const all = this.#notStarted.splice(0);
    this.#notStarted.push(...all.filter((held) => held.subscription !== subscription));
    return all.filter((held) => held.subscription === subscription);
  }

  /** Called by the driver, where an exception would be nobody's. */
  #receive(delivered: AsyncMessage, subscription: Subscription): void {
    try {
      if (this.#isClosing) return subscription.giveBack(delivered.deliveryTag);
      const message = readIncoming(delivered);
      this.#parts.onIncoming(message);
      this.#notStarted.push({ message, subscription });
      this.#startWhatFits();
    } catch (cause) {
      this.#tell('delivery cannot be read', cause);
    }
  }

  #startWhatFits(): void {
    while (!this.#isClosing && this.#slots.free > 0) {
      const held = this.#notStarted.shift();
      if (!held) return;
      this.#start(held);
    }
  }

  #start(held: Held): void {
    const slot = this.#slots.acquire();
    // It always waits for something, so that it is noted here before it ends.
    this.#inHand.set(held, this.#work(held, slot));
  }

  /** All that is done for a delivery is one async function, since each costs every delivery some promises. */
  async #work(held: Held, slot: RunSlot): Promise<void> {
    const earlyMs = (held.message.dueAt ?? 0) - this.#parts.connection.clock.now();
    try {
      const outcome =
        earlyMs > EARLY_BY_MS
          ? { retryAfterMs: earlyMs, isUncounted: true }
          : await this.#handle(held, slot);
      if (outcome === 'ack') held.subscription.ack(held.message.tag);
      else await this.#again(held, outcome);
    } catch (cause) {
      this.#tell('delivery failed and is tried again', cause);
      await this.#again(held, { retryAfterMs: HANDLER_THREW_MS });
    } finally {
      slot.release();
      this.#inHand.delete(held);
      this.#startWhatFits();
    }
  }

  #handle({ message }: Held, slot: RunSlot): Promise<DeliveryOutcome> {
    return this.#parts.handler(message.delivery, () => {
      slot.startFinishing();
      this.#startWhatFits();
    });
  }

  /** Holds on to the delivery until its next turn is safe. Given up on, it is still the broker's to deliver. */
  async #again({ message, subscription }: Held, wanted: WantedAgain): Promise<void> {
    const dueAt = this.#parts.connection.clock.now() + wanted.retryAfterMs;
    const kept = wanted.isUncounted ? notCounted(message) : message;
    while (subscription.isLive) {
      try {
        await this.#parts.publishAgain(kept.again(), dueAt);
        return subscription.ack(message.tag);
      } catch (cause) {
        this.#tell('delivery cannot be put off', cause);
        if (this.#isClosing) return;
        await this.#pause(PUBLISH_AGAIN_MS);
      }
    }
  }

  /** With jitter, so that the consumers of a broker that is back do not come all at once. */
  async #pause(ms: number): Promise<void> {
    const { clock } = this.#parts.connection;
    const pauseMs = ms * (0.5 + clock.random() / 2);
    await sleep(clock, pauseMs, this.#closing.signal).catch(() => {});
  }

  #tell(message: string, cause: unknown): void {
    const metadata = { queue: this.#parts.queue, reason: reasonOf(cause) };
    this.#parts.log.write({ level: 'error', type: 'error', message, metadata });
  }
}
