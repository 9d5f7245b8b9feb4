// A channel in confirm mode, from its opening until it is lost. The broker returns a message without a queue and still
// confirms it, and the driver emits the return one `setImmediate` after the confirm: a message counts as published if
// it is confirmed and not returned. A lost channel settles everything in flight as lost.

import type { Channel } from 'rabbitmq-client';
import type { BrokerConnection } from '../connection/broker-connection.ts';
import { ANSWER_TIMEOUT_MS, within } from '../connection/time-limit.ts';
import { Topology, type TopologySettings } from '../topology/topology.ts';
import { corkWrites } from './cork-writes.ts';
import { type Address, envelopeOf, type OutgoingMessage } from './outgoing-message.ts';

/**
 * `returned`: the message has no queue. `lost`: its outcome is unknown. `refusedFor`: the broker rejected it, as a full queue
 * does.
 */
export type SendOutcome = 'confirmed' | 'returned' | 'lost' | { readonly refusedFor: unknown };

type Pending = {
  readonly messageId: string;
  isReturned: boolean;
  readonly onOutcome: (outcome: SendOutcome) => void;
};

const CLOSE_TIMEOUT_MS = 2000;

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
      await within(connection.clock, ANSWER_TIMEOUT_MS, selecting, 'begin to confirm');
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

  /** Calls back once. The driver has the bytes before this returns. */
  send(message: OutgoingMessage, address: Address, onOutcome: Pending['onOutcome']): void {
    const pending: Pending = { messageId: message.messageId, isReturned: false, onOutcome };
    this.#pending.add(pending);
    corkWrites(this.#channel);
    this.#channel.basicPublish(envelopeOf(message, address), message.body).then(
      // One `setImmediate` per message: a shared one, set before this confirm, could run before this message's return.
      () => setImmediate(this.#settleConfirmed, pending),
      (refusedFor: unknown) => this.#settle(pending, { refusedFor }),
    );
  }

  async close(): Promise<void> {
    const closing = this.#channel.close();
    await within(this.#connection.clock, CLOSE_TIMEOUT_MS, closing, 'close').catch(() => {});
  }

  /** Two messages with the same id both count as returned: the delivered one is published once more. */
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
    pending.onOutcome(outcome);
  }

  /** The driver drops the promise of a message that was just written; without this it would never settle. */
  #loseAll(): void {
    for (const pending of this.#pending) this.#settle(pending, 'lost');
  }
}
