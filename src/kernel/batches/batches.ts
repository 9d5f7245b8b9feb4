// Group commit: items that are added in one turn of the event loop form a batch, and items that come while a batch is in
// flight form the next one. A round trip costs far more than an item, so one batch is in flight at a time, and under load
// batches are spaced (batch-pace.ts). The deliverer of a batch handles its failure.

import type { Clock } from '../clock.ts';
import { BatchPace } from './batch-pace.ts';

export class Batches<Item> {
  readonly #maxSize: number;
  readonly #deliver: (batch: readonly Item[]) => Promise<void>;
  readonly #pace: BatchPace;
  #inFlight: Promise<void> | undefined;
  #queued: Item[] = [];

  /** `deliver` never rejects. */
  constructor(clock: Clock, maxSize: number, deliver: (batch: readonly Item[]) => Promise<void>) {
    this.#maxSize = maxSize;
    this.#deliver = deliver;
    this.#pace = new BatchPace(clock, () => this.#flush());
  }

  add(item: Item): void {
    this.#queued.push(item);
    if (!this.#inFlight) this.#pace.plan();
  }

  /** Removes the items that are in no batch yet. */
  takeQueued(): readonly Item[] {
    return this.#queued.splice(0);
  }

  /** Resolves when no item is queued and no batch is in flight. */
  async drain(): Promise<void> {
    while (this.#queued.length > 0 || this.#inFlight) {
      this.#flush();
      await this.#inFlight;
    }
  }

  #flush(): void {
    if (this.#inFlight || this.#queued.length === 0) return;
    const batch = this.#queued;
    this.#queued = batch.length > this.#maxSize ? batch.splice(this.#maxSize) : [];
    this.#pace.began(batch.length);
    this.#inFlight = this.#deliver(batch).finally(() => {
      this.#inFlight = undefined;
      if (this.#queued.length > 0) this.#pace.plan();
    });
  }
}
