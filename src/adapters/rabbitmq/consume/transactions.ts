// The transactions of one channel: a delivery is acknowledged and another message published in its place, both or
// neither, even if this process dies in between. Confirms cannot do that: a process that dies between a confirm and its
// acknowledgement leaves two messages. Replacements that arrive while a commit is in flight form the next transaction.
// After a failed commit the channel is closed: the broker then delivers again every message that it has not
// acknowledged.

import type { Channel } from 'rabbitmq-client';
import type { Clock } from '../../../kernel/clock.ts';
import { ANSWER_TIMEOUT_MS, within } from '../connection/time-limit.ts';
import { corkWrites } from '../publish/cork-writes.ts';
import { type Address, envelopeOf, type OutgoingMessage } from '../publish/outgoing-message.ts';

/** A message and its address; `onReturned` is called if its queue does not exist. */
export type Replacement = {
  readonly message: OutgoingMessage;
  readonly address: Address;
  readonly onReturned: () => void;
};

type Settlement = {
  readonly deliveryTag: number;
  readonly replacement: Replacement | undefined;
  isReturned: boolean;
  readonly committed: PromiseWithResolvers<void>;
};

type TransactionalChannel = Pick<
  Channel,
  'active' | 'basicAck' | 'basicPublish' | 'txSelect' | 'txCommit' | 'close' | 'on'
>;

export class Transactions {
  readonly #channel: TransactionalChannel;
  readonly #clock: Clock;
  #next: Settlement[] = [];
  #current: readonly Settlement[] = [];
  #running: Promise<void> | undefined;

  static async begin(channel: TransactionalChannel, clock: Clock): Promise<Transactions> {
    await within(clock, ANSWER_TIMEOUT_MS, channel.txSelect(), 'begin a transaction');
    return new Transactions(channel, clock);
  }

  private constructor(channel: TransactionalChannel, clock: Clock) {
    this.#channel = channel;
    this.#clock = clock;
    channel.on('basic.return', ({ messageId }) => this.#markReturned(messageId));
  }

  /** Resolves when the broker has committed; rejects if the outcome is unknown. */
  settle(deliveryTag: number, replacement?: Replacement): Promise<void> {
    const committed = Promise.withResolvers<void>();
    this.#next.push({ deliveryTag, replacement, isReturned: false, committed });
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return committed.promise;
  }

  /** Waits for the transactions in progress; never rejects. */
  async drained(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Settlements of the same turn of the event loop share a transaction.
    await Promise.resolve();
    while (this.#next.length > 0) {
      this.#current = this.#next.splice(0);
      await this.#commit(this.#current);
    }
  }

  async #commit(batch: readonly Settlement[]): Promise<void> {
    try {
      for (const settlement of batch) this.#write(settlement);
      await within(this.#clock, ANSWER_TIMEOUT_MS, this.#channel.txCommit(), 'commit');
      // The driver reports a return one turn after the commit.
      await new Promise((resolve) => setImmediate(resolve));
      for (const { isReturned, replacement } of batch) if (isReturned) replacement?.onReturned();
      for (const { committed } of batch) committed.resolve();
    } catch (cause) {
      void this.#channel.close();
      for (const { committed } of batch) committed.reject(cause);
    }
  }

  #write({ deliveryTag, replacement }: Settlement): void {
    if (!this.#channel.active) throw new Error('the channel is closed');
    corkWrites(this.#channel);
    if (replacement) {
      const { message, address } = replacement;
      // A failed write closes the channel, and with it the commit fails.
      void this.#channel.basicPublish(envelopeOf(message, address), message.body).catch(() => {});
    }
    this.#channel.basicAck({ deliveryTag });
  }

  /** Two messages with the same id both count as returned: the delivered one is published once more. */
  #markReturned(messageId: string | undefined): void {
    for (const settlement of this.#current)
      if (settlement.replacement?.message.messageId === messageId) settlement.isReturned = true;
  }
}
