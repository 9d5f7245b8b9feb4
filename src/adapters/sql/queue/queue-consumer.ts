// Takes the messages of one queue and hands them to a handler, so many at once. It sleeps until it is told of a new
// message or until the next one falls due: it does not poll. While the store is away it tries again every second.
// States: idle ⇄ claiming; closing (takes no more, waits for what is in hand) → closed.

import type {
  Consumer,
  Delivery,
  DeliveryHandler,
  DeliveryOutcome,
} from '../../../jobs/ports/job-queue.ts';
import { type CancelTimer, type Clock, sleep } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import { RunSlots } from '../../../kernel/run-slots.ts';

/** What the consumer needs of the queue it consumes. */
export type MessageSource = {
  readonly name: string;
  readonly leaseMs: number;
  /** How long to sleep at most; absent where every new message is outbox within the process. */
  readonly pollMs: number | undefined;
  /** `mayBeDue`: whether something can have become ready by itself since it was last asked when. */
  claim(count: number, mayBeDue: boolean): Promise<readonly Delivery[]>;
  settle(id: string, outcome: DeliveryOutcome): Promise<void>;
  /** Gives back what was claimed and never started. */
  giveBack(id: string): Promise<void>;
  renew(ids: readonly string[]): Promise<void>;
  nextDueAt(): Promise<number | undefined>;
  listen(fn: () => void): () => void;
};

const STORE_RETRY_AFTER_MS = 1000;
const SETTLE_TRIES = 20;
const HANDLER_THREW_MS = 5000;
const NOT_KNOWN = Number.NEGATIVE_INFINITY;
/**
 * A store in the process answers without a turn of the event loop, so that a long queue would be worked off in one go
 * and keep timers, sockets and other queues waiting until it is empty.
 */
const DELIVERIES_PER_TURN = 8;

export type QueueConsumerOptions = {
  readonly concurrency: number;
  /** How many more may be in hand that have left their slot. */
  readonly finishing: number;
  readonly handler: DeliveryHandler;
};

export class QueueConsumer implements Consumer {
  readonly #source: MessageSource;
  readonly #slots: RunSlots;
  readonly #handler: DeliveryHandler;
  readonly #clock: Clock;
  readonly #log: Log;
  /** What is being handled, and the id of its message. */
  readonly #inHand = new Map<Promise<void>, string>();
  readonly #stopListening: () => void;
  readonly #closing = new AbortController();
  #claiming: Promise<void> | undefined;
  #renewing: Promise<void> | undefined;
  #isNewsPending = false;
  #deliveredThisTurn = 0;
  /** Before this moment nothing becomes ready by itself, as far as is known; in the past: nothing is known. */
  #dueAt = NOT_KNOWN;
  #isClosed = false;
  #cancelWakeUp: CancelTimer | undefined;
  #cancelRenewal: CancelTimer | undefined;

  constructor(
    source: MessageSource,
    options: QueueConsumerOptions,
    { clock, log }: { readonly clock: Clock; readonly log: Log },
  ) {
    this.#source = source;
    this.#slots = new RunSlots(options.concurrency, options.finishing);
    this.#handler = options.handler;
    this.#clock = clock;
    this.#log = log;
    this.#stopListening = source.listen(() => this.#wake());
    this.#wake();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing.abort();
    this.#stopListening();
    this.#cancelWakeUp?.();
    await this.#claiming;
    await Promise.all(this.#inHand.keys());
    this.#cancelRenewal?.();
    await this.#renewing;
  }

  #wake(): void {
    this.#isNewsPending = true;
    if (this.#isClosed || this.#claiming) return;
    this.#claiming = this.#claimWhileThereIsRoom().finally(() => {
      this.#claiming = undefined;
      if (this.#isNewsPending && this.#hasRoom()) this.#wake();
    });
  }

  #hasRoom(): boolean {
    return !this.#isClosed && this.#slots.free > 0;
  }

  async #claimWhileThereIsRoom(): Promise<void> {
    try {
      while (this.#isNewsPending && this.#hasRoom()) {
        this.#isNewsPending = false;
        await this.#letOthersOn();
        const wanted = this.#slots.free;
        const mayBeDue = this.#clock.now() >= this.#dueAt;
        const deliveries = await this.#source.claim(wanted, mayBeDue);
        this.#deliveredThisTurn += deliveries.length;
        // Claimed to the brim: there may be more.
        if (deliveries.length === wanted) this.#isNewsPending = true;
        this.#dueAt = NOT_KNOWN;
        for (const delivery of deliveries) await this.#startOrGiveBack(delivery);
      }
      if (this.#hasRoom()) await this.#sleepUntilDue();
    } catch (cause) {
      this.#tell('queue cannot be read', cause);
      this.#sleepUntil(this.#clock.now() + STORE_RETRY_AFTER_MS);
    }
  }

  async #letOthersOn(): Promise<void> {
    if (this.#deliveredThisTurn < DELIVERIES_PER_TURN) return;
    this.#deliveredThisTurn = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }

  async #startOrGiveBack(delivery: Delivery): Promise<void> {
    if (this.#isClosed) return this.#source.giveBack(delivery.id);
    this.#start(delivery);
  }

  #start(delivery: Delivery): void {
    const slot = this.#slots.acquire();
    const releaseSlot = () => {
      slot.startFinishing();
      if (this.#isNewsPending) this.#wake();
    };
    const work = this.#handle(delivery, releaseSlot).finally(() => {
      slot.release();
      this.#inHand.delete(work);
      // While others are in hand it is looked again only where there may be more; the last one looks in any case.
      if (this.#isNewsPending || this.#inHand.size === 0) this.#wake();
    });
    this.#inHand.set(work, delivery.id);
    this.#keepLeases();
  }

  async #handle(delivery: Delivery, releaseSlot: () => void): Promise<void> {
    const outcome = await this.#outcomeOf(delivery, releaseSlot);
    // It comes again at a moment that has to be known.
    if (outcome !== 'ack') this.#isNewsPending = true;
    await this.#settle(delivery, outcome);
  }

  /** A store that is away for a moment is waited for; beyond that the lease ends, and the message is delivered again. */
  async #settle(delivery: Delivery, outcome: DeliveryOutcome): Promise<void> {
    for (let triesLeft = SETTLE_TRIES; ; triesLeft -= 1) {
      try {
        return await this.#source.settle(delivery.id, outcome);
      } catch (cause) {
        if (triesLeft === 1 || this.#isClosed)
          return this.#tell('delivery cannot be settled', cause);
      }
      await sleep(this.#clock, STORE_RETRY_AFTER_MS, this.#closing.signal).catch(() => {});
    }
  }

  async #outcomeOf(delivery: Delivery, releaseSlot: () => void): Promise<DeliveryOutcome> {
    try {
      return await this.#handler(delivery, releaseSlot);
    } catch (cause) {
      this.#tell('delivery failed and is tried again', cause);
      return { retryAfterMs: HANDLER_THREW_MS };
    }
  }

  async #sleepUntilDue(): Promise<void> {
    const dueAt = await this.#source.nextDueAt();
    this.#dueAt = dueAt ?? Number.POSITIVE_INFINITY;
    this.#sleepUntil(dueAt);
  }

  #sleepUntil(dueAt: number | undefined): void {
    this.#cancelWakeUp?.();
    this.#cancelWakeUp = undefined;
    const untilDueMs = dueAt === undefined ? undefined : Math.max(0, dueAt - this.#clock.now());
    const sleepMs = Math.min(untilDueMs ?? Infinity, this.#source.pollMs ?? Infinity);
    if (this.#isClosed || sleepMs === Infinity) return;
    this.#cancelWakeUp = this.#clock.after(sleepMs, () => this.#wake());
  }

  /** One timer for all messages in hand; it ends by itself when there are none. */
  #keepLeases(): void {
    if (this.#cancelRenewal) return;
    this.#cancelRenewal = this.#clock.after(Math.floor(this.#source.leaseMs / 3), () => {
      this.#cancelRenewal = undefined;
      if (this.#inHand.size === 0) return;
      this.#keepLeases();
      this.#renewing = this.#source
        .renew([...this.#inHand.values()])
        .catch((cause) => this.#tell('leases cannot be renewed', cause));
    });
  }

  #tell(message: string, cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const metadata = { queue: this.#source.name, reason };
    this.#log.write({ level: 'error', type: 'error', message, metadata });
  }
}
