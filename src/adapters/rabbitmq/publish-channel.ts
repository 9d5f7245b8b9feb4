// A channel in confirm mode, from its opening until it is lost. A message is taken when the broker has confirmed it
// and has not returned it: one without a queue is returned and then confirmed all the same, and the driver tells
// of the return an immediate after the confirm. Losing the channel settles everything that was on its way.

import type { Channel } from 'rabbitmq-client';
import type { BrokerConnection } from './broker-connection.ts';
import { gatherWrites } from './gather-writes.ts';
import { type Address, envelopeOf, type OutgoingMessage } from './outgoing-message.ts';
import { ANSWER_WITHIN_MS, within } from './time-limit.ts';
import { Topology, type TopologySettings } from './topology.ts';

/** `returned`: there is no queue for it. `lost`: nobody knows what became of it. */
export type SendOutcome = 'confirmed' | 'returned' | 'lost';

type Pending = {
  readonly messageId: string;
  isReturned: boolean;
  readonly settle: (outcome: SendOutcome) => void;
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

  /** Rejects when the broker refuses the message, as a full queue does. */
  send(message: OutgoingMessage, address: Address): Promise<SendOutcome> {
    const { promise, resolve: settle, reject } = Promise.withResolvers<SendOutcome>();
    const pending: Pending = { messageId: message.messageId, isReturned: false, settle };
    this.#pending.add(pending);
    gatherWrites(this.#channel);
    this.#channel.basicPublish(envelopeOf(message, address), message.body).then(() => {
      setImmediate(() => settle(pending.isReturned ? 'returned' : 'confirmed'));
    }, reject);
    return promise.finally(() => this.#pending.delete(pending));
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

  /** The driver can forget one whose bytes were just written; nobody shall wait for it for ever. */
  #loseAll(): void {
    for (const { settle } of this.#pending) settle('lost');
  }
}
