// Batches the acknowledgements of one channel per turn of the event loop: one `multiple` frame for all deliveries before the
// oldest open one, single frames for the rest. A `multiple` frame covers every delivery that the broker has sent, so each one
// is noted here on arrival. Deliveries that are not acknowledged when the channel is lost are delivered again.

import type { Channel } from 'rabbitmq-client';
import { corkWrites } from '../publish/cork-writes.ts';

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

  /** The delivery was requeued: it must not be acknowledged. */
  noteReturned(tag: number): void {
    this.#open.delete(tag);
  }

  add(tag: number): void {
    if (this.#done.size === 0) setImmediate(() => this.flush());
    this.#done.add(tag);
  }

  /** Sends the batch now; called before the channel is closed. */
  flush(): void {
    if (this.#done.size === 0 || !this.#channel.active) return this.#done.clear();
    corkWrites(this.#channel);
    const last = this.#takeLeadingDone();
    if (last !== undefined) this.#channel.basicAck({ deliveryTag: last, multiple: true });
    for (const tag of this.#done) this.#channel.basicAck({ deliveryTag: tag });
    for (const tag of this.#done) this.#open.delete(tag);
    this.#done.clear();
  }

  /** Removes the leading done deliveries from both sets and returns the last tag. */
  #takeLeadingDone(): number | undefined {
    let last: number | undefined;
    for (const tag of this.#open) {
      if (!this.#done.delete(tag)) break;
      this.#open.delete(tag);
      last = tag;
    }
    return last;
  }
}
