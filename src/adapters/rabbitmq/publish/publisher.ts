// Publishes and does not believe it until the broker has confirmed it and has not returned it. A lost connection,
// a queue that was deleted and a refusal by a full queue are tried again until the time for the whole is up; then
// it rejects. What rejected may still arrive: at least once, never silently less.
// While the broker is away or has an alarm nothing is written, so nothing piles up; the number of publishes that
// wait is bounded, those that were given up on included until the driver lets go of them.
// Where everything is ready a message is written before `publish` returns, so that messages go in the order of the calls.

import { SpillwayError } from '../../../errors/spillway-error.ts';
import { sleep } from '../../../kernel/clock.ts';
import type { BrokerConnection } from '../connection/broker-connection.ts';
import { isRefusal, reasonOf } from '../connection/broker-error.ts';
import { within } from '../connection/time-limit.ts';
import type { TopologySettings } from '../topology/topology.ts';
import type { OutgoingMessage } from './outgoing-message.ts';
import { PublishChannel, type SendOutcome } from './publish-channel.ts';
import type { Route } from './route.ts';
import { type WaitingPublish, WaitingPublishes } from './waiting-publishes.ts';

export type PublisherOptions = {
  readonly confirmTimeoutMs: number;
  readonly maxWaiting: number;
};

const FIRST_PAUSE_MS = 50;
const LAST_PAUSE_MS = 1000;

export class Publisher {
  readonly #connection: BrokerConnection;
  readonly #settings: TopologySettings;
  readonly #options: PublisherOptions;
  readonly #waiting: WaitingPublishes;
  /** What waits for something to be ready before it is sent for the first time; nobody who comes later overtakes it. */
  readonly #notSent = new Set<WaitingPublish>();
  #current: PublishChannel | undefined;
  #opening: Promise<PublishChannel> | undefined;
  #isClosed = false;

  constructor(connection: BrokerConnection, settings: TopologySettings, options: PublisherOptions) {
    this.#connection = connection;
    this.#settings = settings;
    this.#options = options;
    this.#waiting = new WaitingPublishes(connection.clock, options.confirmTimeoutMs);
  }

  publish(route: Route, message: OutgoingMessage): Promise<void> {
    const { size } = this.#waiting;
    if (this.#isClosed) return Promise.reject(unavailable('the queue is closed'));
    if (size >= this.#options.maxWaiting)
      return Promise.reject(unavailable(`${size} messages wait to be published already`));
    const waiting = this.#waiting.add(route, message);
    if (!this.#sendAtOnce(waiting)) {
      this.#notSent.add(waiting);
      void this.#persist(waiting, this.#tryOnce(waiting));
    }
    return waiting.told.promise;
  }

  /** Waits for what is on its way, each within its own time. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const emptied = this.#waiting.whenEmpty();
    const { clock } = this.#connection;
    await within(clock, this.#options.confirmTimeoutMs, emptied, 'confirm').catch(() => {});
    await this.#current?.close();
  }

  /** False where something has to be made ready first. */
  #sendAtOnce(waiting: WaitingPublish): boolean {
    const channel = this.#current;
    if (!channel?.isOpen || this.#notSent.size > 0 || !this.#connection.isReady) return false;
    const address = waiting.route.known(channel.topology);
    if (!address) return false;
    channel.send(waiting.message, address, (outcome) => {
      if (outcome === 'confirmed') this.#waiting.fulfil(waiting);
      else void this.#persist(waiting, Promise.resolve(outcome));
    });
    return true;
  }

  /** Never rejects: whoever waits is told. */
  async #persist(waiting: WaitingPublish, firstTry: Promise<SendOutcome>): Promise<void> {
    try {
      await this.#tryUntil(waiting, firstTry);
      this.#waiting.fulfil(waiting);
    } catch (cause) {
      this.#waiting.fail(waiting, cause);
    }
  }

  async #tryUntil(waiting: WaitingPublish, firstTry: Promise<SendOutcome>): Promise<void> {
    let trying = firstTry;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_PAUSE_MS)) {
      const isLast = () => this.#waiting.leftMs(waiting) <= pauseMs;
      try {
        const outcome = await trying;
        if (outcome === 'confirmed') return;
        if (typeof outcome !== 'string') throw outcome.refusedFor;
        if (isLast()) throw unavailable(`it was ${outcome}`);
      } catch (cause) {
        if (cause instanceof SpillwayError) throw cause;
        if (isRefusal(cause) || isLast()) throw unavailable(reasonOf(cause), cause);
      }
      await sleep(this.#connection.clock, pauseMs);
      trying = this.#tryOnce(waiting);
    }
  }

  async #tryOnce(waiting: WaitingPublish): Promise<SendOutcome> {
    const { promise, resolve } = Promise.withResolvers<SendOutcome>();
    try {
      await this.#connection.ready(Math.max(0, this.#waiting.leftMs(waiting)));
      const channel = await this.#openChannel();
      const address = await waiting.route.prepare(channel.topology);
      // Nobody waits for it any more, and its publisher has been told that it was not taken.
      if (this.#waiting.leftMs(waiting) <= 0) throw unavailable('there was no time left');
      channel.send(waiting.message, address, resolve);
    } finally {
      this.#notSent.delete(waiting);
    }
    return promise;
  }

  async #openChannel(): Promise<PublishChannel> {
    if (this.#current?.isOpen) return this.#current;
    this.#opening ??= PublishChannel.open(this.#connection, this.#settings).finally(() => {
      this.#opening = undefined;
    });
    this.#current = await this.#opening;
    return this.#current;
  }
}

function unavailable(reason: string, cause?: unknown): SpillwayError {
  const message = `RabbitMQ did not take the message: ${reason}`;
  return new SpillwayError('CAPACITY_EXHAUSTED', message, { cause });
}
