// Consumes one queue of the store: claims messages while slots are free and passes them to the handler. When the queue is
// empty it sleeps until it is notified of a new message or until the next delay or lease ends. While the store is
// unavailable it retries every second.
// States: idle ⇄ claiming; closing (claims nothing, waits for the deliveries in progress) → closed.

import type {
  Consumer,
  Delivery,
  DeliveryHandler,
  DeliveryOutcome,
  OutsideSlot,
} from '../../../jobs/ports/job-queue.ts';
import { type CancelTimer, type Clock, sleep } from '../../../kernel/clock.ts';
import { type Log, logFailure } from '../../../kernel/log.ts';
import { type RunSlot, RunSlots } from '../../../kernel/run-slots.ts';

/** The consumer's view of its queue. */
export type MessageSource = {
  readonly name: string;
  readonly leaseMs: number;
  /** The longest sleep; absent where every publisher is in this process and notifies the consumer. */
  readonly pollMs: number | undefined;
  /** `mayBeDue`: whether a delay or lease can have ended since `nextDueAt` was read. */
  claim(count: number, mayBeDue: boolean): Promise<readonly Delivery[]>;
  settle(id: string, outcome: DeliveryOutcome): Promise<void>;
  /** Returns a message that was claimed and not started. */
  returnUnstarted(id: string): Promise<void>;
  renew(ids: readonly string[]): Promise<void>;
  nextDueAt(): Promise<number | undefined>;
  listen(fn: () => void): () => void;
};

const STORE_RETRY_AFTER_MS = 1000;
const MAX_SETTLE_TRIES = 20;
const HANDLER_THREW_MS = 5000;
const UNKNOWN = Number.NEGATIVE_INFINITY;
/**
 * SQLite answers without a turn of the event loop: without a pause, a long queue would be consumed in one turn, and
 * timers, sockets and other queues would wait until it is empty.
 */
const DELIVERIES_PER_TURN = 8;

export type QueueConsumerOptions = {
  readonly concurrency: number;
  /** Deliveries that may still be finishing after they have released their slot. */
  readonly finishing: number;
  readonly handler: DeliveryHandler;
};

export class QueueConsumer implements Consumer {
  readonly #source: MessageSource;
  readonly #slots: RunSlots;
  readonly #handler: DeliveryHandler;
  readonly #clock: Clock;
  readonly #log: Log;
  /** The deliveries in progress, and the ids of their messages. */
  readonly #inProgress = new Map<Promise<void>, string>();
  readonly #stopListening: () => void;
  readonly #closing = new AbortController();
  #claiming: Promise<void> | undefined;
  #renewing: Promise<void> | undefined;
  #mayHaveMore = false;
  #deliveredThisTurn = 0;
  /** No delay and no lease ends before this time; unknown if it is in the past. */
  #dueAt = UNKNOWN;
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
    await Promise.all(this.#inProgress.keys());
    this.#cancelRenewal?.();
    await this.#renewing;
  }

  #wake(): void {
    this.#mayHaveMore = true;
    if (this.#isClosed || this.#claiming) return;
    this.#claiming = this.#claimWhileSlotsAreFree().finally(() => {
      this.#claiming = undefined;
      if (this.#mayHaveMore && this.#hasFreeSlot()) this.#wake();
    });
  }

  #hasFreeSlot(): boolean {
    return !this.#isClosed && this.#slots.free > 0;
  }

  async #claimWhileSlotsAreFree(): Promise<void> {
    try {
      while (this.#mayHaveMore && this.#hasFreeSlot()) {
        this.#mayHaveMore = false;
        await this.#yieldToEventLoop();
        const wanted = this.#slots.free;
        const mayBeDue = this.#clock.now() >= this.#dueAt;
        const deliveries = await this.#source.claim(wanted, mayBeDue);
        this.#deliveredThisTurn += deliveries.length;
        // The claim was filled, so more messages may be due.
        if (deliveries.length === wanted) this.#mayHaveMore = true;
        this.#dueAt = UNKNOWN;
        for (const delivery of deliveries) await this.#startOrReturn(delivery);
      }
      if (this.#hasFreeSlot()) await this.#sleepUntilDue();
    } catch (cause) {
      this.#logFailure('queue cannot be read', cause);
      this.#sleepUntil(this.#clock.now() + STORE_RETRY_AFTER_MS);
    }
  }

  async #yieldToEventLoop(): Promise<void> {
    if (this.#deliveredThisTurn < DELIVERIES_PER_TURN) return;
    this.#deliveredThisTurn = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }

  async #startOrReturn(delivery: Delivery): Promise<void> {
    if (this.#isClosed) return this.#source.returnUnstarted(delivery.id);
    this.#start(delivery);
  }

  #start(delivery: Delivery): void {
    const slot = this.#slots.acquire();
    const work = this.#handle(delivery, slot).finally(() => {
      slot.release();
      this.#inProgress.delete(work);
      // The last delivery in progress always claims again; the others only if there may be more.
      if (this.#mayHaveMore || this.#inProgress.size === 0) this.#wake();
    });
    this.#inProgress.set(work, delivery.id);
    this.#scheduleRenewal();
  }

  async #handle(delivery: Delivery, slot: RunSlot): Promise<void> {
    const outcome = await this.#outcomeOf(delivery, slot);
    // Its new due time may be the next one.
    if (outcome !== 'ack') this.#mayHaveMore = true;
    await this.#settle(delivery, outcome);
  }

  /** Retries while the store is unavailable; after that the lease ends and the message is delivered again. */
  async #settle(delivery: Delivery, outcome: DeliveryOutcome): Promise<void> {
    for (let triesLeft = MAX_SETTLE_TRIES; ; triesLeft -= 1) {
      try {
        return await this.#source.settle(delivery.id, outcome);
      } catch (cause) {
        if (triesLeft === 1 || this.#isClosed)
          return this.#logFailure('delivery cannot be settled; its lease will end', cause);
      }
      await sleep(this.#clock, STORE_RETRY_AFTER_MS, this.#closing.signal).catch(() => {});
    }
  }

  async #outcomeOf(delivery: Delivery, slot: RunSlot): Promise<DeliveryOutcome> {
    const releaseSlot = () => {
      slot.startFinishing();
      if (this.#mayHaveMore) this.#wake();
    };
    const outsideSlot: OutsideSlot = async (work) => {
      slot.setAside();
      this.#wake();
      try {
        return await work();
      } finally {
        await slot.resume();
      }
    };
    try {
      return await this.#handler(delivery, releaseSlot, outsideSlot);
    } catch (cause) {
      this.#logFailure('delivery failed and is tried again', cause);
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

  /** One timer renews the leases of all deliveries in progress; it is not set while there are none. */
  #scheduleRenewal(): void {
    if (this.#cancelRenewal) return;
    this.#cancelRenewal = this.#clock.after(Math.floor(this.#source.leaseMs / 3), () => {
      this.#cancelRenewal = undefined;
      if (this.#inProgress.size === 0) return;
      this.#scheduleRenewal();
      this.#renewing = this.#source
        .renew([...this.#inProgress.values()])
        .catch((cause) => this.#logFailure('leases cannot be renewed', cause));
    });
  }

  #logFailure(message: string, cause: unknown): void {
    logFailure(this.#log, message, cause, { metadata: { queue: this.#source.name } });
  }
}
