// A subscription to one queue over one channel, until the channel is lost, the queue is deleted or the subscription is
// cancelled. Deliveries can be acknowledged on this channel only; when it is lost the broker redelivers all unacknowledged
// messages to any subscriber.
// States: live → ended (no further deliveries; acknowledging may still work) → closed.

import type { AsyncMessage, Channel } from 'rabbitmq-client';
import type { BrokerConnection } from '../connection/broker-connection.ts';
import { ANSWER_TIMEOUT_MS, within } from '../connection/time-limit.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { keepBodiesRaw } from './raw-bodies.ts';
import { type Replacement, Transactions } from './transactions.ts';

export type SubscriptionOptions = {
  readonly queue: string;
  readonly prefetch: number;
  /** Whether acknowledgements are transactions, so that a message can be published with one. */
  readonly isTransactional: boolean;
  readonly onMessage: (message: AsyncMessage, subscription: Subscription) => void;
};

const CLOSE_TIMEOUT_MS = 2000;
const MAX_PREFETCH = 65_535;

export class Subscription {
  /** Resolves after the last delivery. */
  readonly ended: Promise<void>;
  readonly #connection: BrokerConnection;
  readonly #channel: Channel;
  readonly #acknowledgements: Acknowledgements;
  #transactions: Transactions | undefined;
  readonly #end: () => void;
  #consumerTag: string | undefined;
  #isReplaced = false;

  /** The queue must exist. */
  static async open(
    connection: BrokerConnection,
    options: SubscriptionOptions,
  ): Promise<Subscription> {
    const channel = await connection.openChannel();
    const subscription = new Subscription(connection, channel);
    try {
      const begun = subscription.#begin(options);
      await within(connection.clock, ANSWER_TIMEOUT_MS, begun, 'subscribe');
      return subscription;
    } catch (cause) {
      void channel.close();
      throw cause;
    }
  }

  private constructor(connection: BrokerConnection, channel: Channel) {
    this.#connection = connection;
    this.#channel = channel;
    this.#acknowledgements = new Acknowledgements(channel);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
    channel.on('close', resolve);
    channel.on('basic.cancel', () => resolve());
    keepBodiesRaw(channel);
  }

  /** Whether acknowledgements still reach the broker. */
  get isLive(): boolean {
    return this.#channel.active;
  }

  /** Ends it although its channel works, so that a new subscription takes over. */
  replace(): void {
    this.#isReplaced = true;
    this.#end();
  }

  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  /** Sent at the end of this turn of the event loop. */
  ack(deliveryTag: number): void {
    if (!this.#transactions) return this.#acknowledgements.add(deliveryTag);
    // After a failed commit the broker delivers the message again.
    this.#transactions.settle(deliveryTag).catch(() => {});
  }

  /** Acknowledges the delivery and publishes the message, both or neither. Only if transactional. */
  async replaceDelivery(deliveryTag: number, replacement: Replacement): Promise<void> {
    await this.#transactions?.settle(deliveryTag, replacement);
  }

  /** For a delivery that was not started: the broker delivers it again at once, so never for a retry. */
  requeue(deliveryTag: number): void {
    // A rejection would need a commit; closing the channel requeues the delivery too.
    if (this.#transactions) return;
    this.#acknowledgements.noteReturned(deliveryTag);
    if (this.isLive) this.#channel.basicNack({ deliveryTag, requeue: true });
  }

  /** Deliveries in flight may still arrive. */
  async cancel(): Promise<void> {
    const consumerTag = this.#consumerTag;
    this.#consumerTag = undefined;
    if (consumerTag === undefined || !this.isLive) return;
    const cancelling = this.#channel.basicCancel({ consumerTag });
    await this.#ignoreFailure(cancelling, 'cancel');
  }

  /** Unacknowledged deliveries are delivered again. */
  async close(): Promise<void> {
    this.#acknowledgements.flush();
    await this.#transactions?.drained();
    await this.#ignoreFailure(this.#channel.close(), 'close');
  }

  async #begin(options: SubscriptionOptions): Promise<void> {
    const { queue, prefetch, onMessage, isTransactional } = options;
    if (isTransactional)
      this.#transactions = await Transactions.begin(this.#channel, this.#connection.clock);
    await this.#channel.basicQos({ prefetchCount: Math.min(prefetch, MAX_PREFETCH) });
    const begun = await this.#channel.basicConsume({ queue }, (message) => {
      if (!this.#transactions) this.#acknowledgements.noteDelivered(message.deliveryTag);
      onMessage(message, this);
    });
    this.#consumerTag = begun.consumerTag;
  }

  async #ignoreFailure(work: Promise<unknown>, what: string): Promise<void> {
    await within(this.#connection.clock, CLOSE_TIMEOUT_MS, work, what).catch(() => {});
  }
}
