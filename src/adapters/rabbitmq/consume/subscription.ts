// Deliveries of one queue over one channel, from subscribing until the channel is lost, the queue is deleted or we
// cancel it. What was delivered can be acknowledged on this channel only; when it is lost the broker delivers
// everything unacknowledged again, to whoever subscribes.
// States: live → ended (nothing more is delivered; acknowledging may still work) → closed.

import type { AsyncMessage, Channel } from 'rabbitmq-client';
import type { BrokerConnection } from '../connection/broker-connection.ts';
import { ANSWER_WITHIN_MS, within } from '../connection/time-limit.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { keepBodiesRaw } from './raw-bodies.ts';

export type SubscriptionOptions = {
  readonly queue: string;
  readonly prefetch: number;
  readonly onMessage: (message: AsyncMessage, subscription: Subscription) => void;
};

const GOODBYE_WITHIN_MS = 2000;
const MAX_PREFETCH = 65_535;

export class Subscription {
  /** Resolves when it delivers no more. */
  readonly ended: Promise<void>;
  readonly #connection: BrokerConnection;
  readonly #channel: Channel;
  readonly #acknowledgements: Acknowledgements;
  #consumerTag: string | undefined;

  /** The queue must be there. */
  static async open(
    connection: BrokerConnection,
    options: SubscriptionOptions,
  ): Promise<Subscription> {
    const channel = await connection.openChannel();
    const subscription = new Subscription(connection, channel);
    try {
      const begun = subscription.#begin(options);
      await within(connection.clock, ANSWER_WITHIN_MS, begun, 'subscribe');
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
    channel.on('close', resolve);
    channel.on('basic.cancel', () => resolve());
    keepBodiesRaw(channel);
  }

  /** Whether acknowledging still reaches the broker. */
  get isLive(): boolean {
    return this.#channel.active;
  }

  /** Said at the end of this turn of the loop. */
  ack(deliveryTag: number): void {
    this.#acknowledgements.add(deliveryTag);
  }

  /** For what was never started: at once and to the place it had, so not for anything that is to be tried again. */
  giveBack(deliveryTag: number): void {
    this.#acknowledgements.noteReturned(deliveryTag);
    if (this.isLive) this.#channel.basicNack({ deliveryTag, requeue: true });
  }

  /** Deliveries that are on their way may still come. */
  async cancel(): Promise<void> {
    const consumerTag = this.#consumerTag;
    this.#consumerTag = undefined;
    if (consumerTag === undefined || !this.isLive) return;
    const cancelling = this.#channel.basicCancel({ consumerTag });
    await this.#orLeave(cancelling, 'cancel');
  }

  /** What is not acknowledged by now is delivered again. */
  async close(): Promise<void> {
    this.#acknowledgements.flush();
    await this.#orLeave(this.#channel.close(), 'close');
  }

  async #begin({ queue, prefetch, onMessage }: SubscriptionOptions): Promise<void> {
    await this.#channel.basicQos({ prefetchCount: Math.min(prefetch, MAX_PREFETCH) });
    const begun = await this.#channel.basicConsume({ queue }, (message) => {
      this.#acknowledgements.noteDelivered(message.deliveryTag);
      onMessage(message, this);
    });
    this.#consumerTag = begun.consumerTag;
  }

  async #orLeave(work: Promise<unknown>, what: string): Promise<void> {
    await within(this.#connection.clock, GOODBYE_WITHIN_MS, work, what).catch(() => {});
  }
}
