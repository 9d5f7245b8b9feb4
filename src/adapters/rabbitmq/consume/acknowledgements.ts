// What is acknowledged in one turn of the loop on one channel: all up to the first that is still in hand by one word to the
// broker, the others each by its own. Every delivery has to be noted when it comes, in the order it comes, because "all up
// to here" means whatever the broker has sent. What is not acknowledged when the channel is lost is delivered again.

import type { Channel } from 'rabbitmq-client';
import { gatherWrites } from '../publish/gather-writes.ts';

export class Acknowledgements {
  readonly #channel: Pick<Channel, 'active' | 'basicAck'>;
  /** Delivered and not settled, oldest first. */
  readonly #open = new Set<number>();
  readonly #done = new Set<number>();

  constructor(channel: Pick<Channel, 'active' | 'basicAck'>) {
    this.#channel = channel;
  }

  noteDelivered(tag: number): void {
    this.#open.add(tag);
  }

  /** It was given back, so that nothing here speaks for it any more. */
  noteReturned(tag: number): void {
    this.#open.delete(tag);
  }

  add(tag: number): void {
    if (this.#done.size === 0) setImmediate(() => this.flush());
    this.#done.add(tag);
  }

  /** At once: for who is about to close the channel. */
  flush(): void {
    if (this.#done.size === 0 || !this.#channel.active) return this.#done.clear();
    gatherWrites(this.#channel);
    const last = this.#endOfDone();
    if (last !== undefined) this.#channel.basicAck({ deliveryTag: last, multiple: true });
    for (const tag of this.#done) this.#channel.basicAck({ deliveryTag: tag });
    for (const tag of this.#done) this.#open.delete(tag);
    this.#done.clear();
  }

  /** The last of those at the beginning that are all done with; they are taken off both lists. */
  #endOfDone(): number | undefined {
    let last: number | undefined;
    for (const tag of this.#open) {
      if (!this.#done.delete(tag)) break;
      this.#open.delete(tag);
      last = tag;
    }
    return last;
  }
}
