// A channel in confirm mode, from its opening until it is lost. A message is taken when the broker has confirmed it
// and has not returned it: one without a queue is returned and then confirmed all the same, and the driver tells
// of the return an immediate after the confirm. Losing the channel settles everything that was on its way.

import type { Channel } from 'rabbitmq-client';
import type { BrokerConnection } from '../connection/broker-connection.ts';
import { ANSWER_WITHIN_MS, within } from '../connection/time-limit.ts';
import { Topology, type TopologySettings } from '../topology/topology.ts';
import { gatherWrites } from './gather-writes.ts';
import { type Address, envelopeOf, type OutgoingMessage } from './outgoing-message.ts';

/**
 * `returned`: there is no queue for it. `lost`: nobody knows what became of it. `refusedFor`: the broker does not take it,
 * as a full queue does not.
 */
export type SendOutcome = 'confirmed' | 'returned' | 'lost' | { readonly refusedFor: unknown };

type Pending = {
  readonly messageId: string;
  isReturned: boolean;
  readonly tell: (outcome: SendOutcome) => void;
};

const CLOSE_WITHIN_MS = 2000;

export class PublishChannel {
  readonly topology: Topology;
  readonly #connection: BrokerConnection;
  readonly #channel: Channel;
  readonly #pending = new Set<Pending>();

  static async open(
    connection: BrokerConnection,
    settings: TopologySettings,
  ): Promise<PublishChannel> {
    const channel = await connection.openChannel();
    try {
      const selecting = channel.confirmSelect();
      await within(connection.clock, ANSWER_WITHIN_MS, selecting, 'begin to confirm');
      return new PublishChannel(connection, channel, settings);
    } catch (cause) {
      void channel.close();
      throw cause;
    }
  }

  private constructor(connection: BrokerConnection, channel: Channel, settings: TopologySettings) {
    this.topology = new Topology(connection, settings);
    this.#connection = connection;
    this.#channel = channel;
    channel.on('basic.return', ({ messageId }) => this.#markReturned(messageId));
    channel.on('close', () => this.#loseAll());
  }

  get isOpen(): boolean {
    return this.#channel.active;
  }

  /** Tells once what became of it. The bytes are handed to the driver before it returns. */
  send(message: OutgoingMessage, address: Address, tell: (outcome: SendOutcome) => void): void {
    const pending: Pending = { messageId: message.messageId, isReturned: false, tell };
    this.#pending.add(pending);
    gatherWrites(this.#channel);
    this.#channel.basicPublish(envelopeOf(message, address), message.body).then(
      // Each has an immediate of its own: one that was asked for before a message was confirmed might come before its return.
      () => setImmediate(this.#settleConfirmed, pending),
      (refusedFor: unknown) => this.#settle(pending, { refusedFor }),
    );
  }

  async close(): Promise<void> {
    const closing = this.#channel.close();
    await within(this.#connection.clock, CLOSE_WITHIN_MS, closing, 'close').catch(() => {});
  }

  /** Two with the same id at once are both taken for returned: the innocent one is published once more. */
  #markReturned(messageId: string | undefined): void {
    for (const pending of this.#pending)
      if (pending.messageId === messageId) pending.isReturned = true;
  }

  readonly #settleConfirmed = (pending: Pending): void => {
    this.#settle(pending, pending.isReturned ? 'returned' : 'confirmed');
  };

  #settle(pending: Pending, outcome: SendOutcome): void {
    if (!this.#pending.delete(pending)) return;
    if (outcome === 'returned') this.topology.forget();
    pending.tell(outcome);
  }

  /** The driver can forget one whose bytes were just written; nobody shall wait for it for ever. */
  #loseAll(): void {
    for (const pending of this.#pending) this.#settle(pending, 'lost');
  }
}
