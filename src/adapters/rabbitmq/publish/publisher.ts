// Publishes with confirms: a message counts as published when the broker has confirmed it and has not returned it. After a
// lost connection, a deleted queue or a refusal by a full queue it is tried again until the timeout, then `publish` rejects.
// A rejected message may still arrive: delivery is at least once.
// While the broker is unavailable or has an alarm nothing is written. The number of pending publishes is bounded, expired
// ones included until the driver releases them. When everything is ready the message is written before `publish` returns, so
// messages leave in the order of the calls.

import { SpillwayError } from '../../../errors/spillway-error.ts';
import { sleep } from '../../../kernel/clock.ts';
import { reasonOf } from '../../../kernel/log.ts';
import type { BrokerConnection } from '../connection/broker-connection.ts';
import { isRefusal } from '../connection/broker-error.ts';
import { within } from '../connection/time-limit.ts';
import type { TopologySettings } from '../topology/topology.ts';
import type { OutgoingMessage } from './outgoing-message.ts';
import { type PendingPublish, PendingPublishes } from './pending-publishes.ts';
import { PublishChannel, type SendOutcome } from './publish-channel.ts';
import type { Route } from './route.ts';

export type PublisherOptions = {
  readonly confirmTimeoutMs: number;
  readonly maxPending: number;
};

const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1000;

export class Publisher {
  readonly #connection: BrokerConnection;
  readonly #settings: TopologySettings;
  readonly #options: PublisherOptions;
  readonly #pending: PendingPublishes;
  /** Publishes that wait for the channel or the topology before the first send; later publishes queue behind them. */
  readonly #unsent = new Set<PendingPublish>();
  #current: PublishChannel | undefined;
  #opening: Promise<PublishChannel> | undefined;
  #isClosed = false;

  constructor(connection: BrokerConnection, settings: TopologySettings, options: PublisherOptions) {
    this.#connection = connection;
    this.#settings = settings;
    this.#options = options;
    this.#pending = new PendingPublishes(connection.clock, options.confirmTimeoutMs);
  }

  publish(route: Route, message: OutgoingMessage): Promise<void> {
    const { size } = this.#pending;
    if (this.#isClosed) return Promise.reject(unavailable('the queue is closed'));
    if (size >= this.#options.maxPending)
      return Promise.reject(unavailable(`${size} publishes are pending already`));
    const pending = this.#pending.add(route, message);
    if (!this.#sendNow(pending)) {
      this.#unsent.add(pending);
      void this.#publishUntilSettled(pending, this.#tryOnce(pending));
    }
    return pending.result.promise;
  }

  /** Waits for pending publishes until their timeout. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const drained = this.#pending.drained();
    const { clock } = this.#connection;
    await within(clock, this.#options.confirmTimeoutMs, drained, 'confirm').catch(() => {});
    await this.#current?.close();
  }

  /** False if the channel or the topology is not ready. */
  #sendNow(pending: PendingPublish): boolean {
    const channel = this.#current;
    if (!channel?.isOpen || this.#unsent.size > 0 || !this.#connection.isReady) return false;
    const address = pending.route.known(channel.topology);
    if (!address) return false;
    channel.send(pending.message, address, (outcome) => {
      if (outcome === 'confirmed') this.#pending.confirm(pending);
      else void this.#publishUntilSettled(pending, Promise.resolve(outcome));
    });
    return true;
  }

  /** Never rejects: the outcome settles the pending publish. */
  async #publishUntilSettled(
    pending: PendingPublish,
    firstTry: Promise<SendOutcome>,
  ): Promise<void> {
    try {
      await this.#tryUntil(pending, firstTry);
      this.#pending.confirm(pending);
    } catch (cause) {
      this.#pending.fail(pending, cause);
    }
  }

  async #tryUntil(pending: PendingPublish, firstTry: Promise<SendOutcome>): Promise<void> {
    let trying = firstTry;
    for (let pauseMs = MIN_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      const isLast = () => this.#pending.leftMs(pending) <= pauseMs;
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
      trying = this.#tryOnce(pending);
    }
  }

  async #tryOnce(pending: PendingPublish): Promise<SendOutcome> {
    const { promise, resolve } = Promise.withResolvers<SendOutcome>();
    try {
      await this.#connection.ready(Math.max(0, this.#pending.leftMs(pending)));
      const channel = await this.#openChannel();
      const address = await pending.route.prepare(channel.topology);
      // The publish has expired: its caller has a rejection already.
      if (this.#pending.leftMs(pending) <= 0) throw unavailable('the time is up');
      channel.send(pending.message, address, resolve);
    } finally {
      this.#unsent.delete(pending);
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
