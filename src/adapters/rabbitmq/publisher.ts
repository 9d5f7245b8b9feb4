// Publishes and does not believe it until the broker has confirmed it and has not returned it. A lost connection,
// a queue that was deleted and a refusal by a full queue are tried again until the time for the whole is up; then
// it rejects. What rejected may still arrive: at least once, never silently less.
// While the broker is away or has an alarm nothing is written, so nothing piles up; the number of publishes that
// wait is bounded, those that were given up on included until the driver lets go of them.

import { SpillwayError } from '../../errors/spillway-error.ts';
import { sleep } from '../../kernel/clock.ts';
import type { BrokerConnection } from './broker-connection.ts';
import { isRefusal, reasonOf } from './broker-error.ts';
import type { OutgoingMessage } from './outgoing-message.ts';
import { PublishChannel, type SendOutcome } from './publish-channel.ts';
import type { Route } from './route.ts';
import { within } from './time-limit.ts';
import type { TopologySettings } from './topology.ts';

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
  readonly #waiting = new Set<Promise<void>>();
  #current: PublishChannel | undefined;
  #opening: Promise<PublishChannel> | undefined;
  #isClosed = false;

  constructor(connection: BrokerConnection, settings: TopologySettings, options: PublisherOptions) {
    this.#connection = connection;
    this.#settings = settings;
    this.#options = options;
  }

  async publish(route: Route, message: OutgoingMessage): Promise<void> {
    if (this.#isClosed) throw unavailable('the queue is closed');
    if (this.#waiting.size >= this.#options.maxWaiting)
      throw unavailable(`${this.#waiting.size} messages wait to be published already`);
    const { clock } = this.#connection;
    const { confirmTimeoutMs } = this.#options;
    const work = this.#tryUntil(clock.monotonic() + confirmTimeoutMs, route, message);
    const held = work.catch(() => {}).finally(() => this.#waiting.delete(held));
    this.#waiting.add(held);
    await within(clock, confirmTimeoutMs, work, 'confirm a message');
  }

  /** Waits for what is on its way, each within its own time. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const waiting = Promise.all(this.#waiting);
    const { clock } = this.#connection;
    await within(clock, this.#options.confirmTimeoutMs, waiting, 'confirm').catch(() => {});
    await this.#current?.close();
  }

  async #tryUntil(endsAt: number, route: Route, message: OutgoingMessage): Promise<void> {
    const { clock } = this.#connection;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_PAUSE_MS)) {
      const leftMs = () => endsAt - clock.monotonic();
      try {
        const outcome = await this.#tryOnce(leftMs, route, message);
        if (outcome === 'confirmed') return;
        if (leftMs() <= pauseMs) throw unavailable(`it was ${outcome}`);
      } catch (cause) {
        if (cause instanceof SpillwayError) throw cause;
        if (isRefusal(cause) || leftMs() <= pauseMs) throw unavailable(reasonOf(cause), cause);
      }
      await sleep(clock, pauseMs);
    }
  }

  async #tryOnce(
    leftMs: () => number,
    route: Route,
    message: OutgoingMessage,
  ): Promise<SendOutcome> {
    await this.#connection.ready(Math.max(0, leftMs()));
    const channel = await this.#openChannel();
    const address = await route(channel.topology);
    // Nobody waits for it any more, and its publisher has been told that it was not taken.
    if (leftMs() <= 0) throw unavailable('there was no time left');
    const outcome = await channel.send(message, address);
    if (outcome === 'returned') channel.topology.forget();
    return outcome;
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
