// Bounds the number of requests that this server serves at once. A request beyond the bound is refused immediately:
// queueing it would slow down all others.

import { SpillwayError } from '../../errors/spillway-error.ts';

const RETRY_AFTER_MS = 1000;

export class RequestSlots {
  readonly #max: number;
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get used(): number {
    return this.#used;
  }

  /** Throws CAPACITY_EXHAUSTED when all slots are in use. Release each acquired slot once. */
  acquire(): void {
    if (this.#used >= this.#max) {
      throw new SpillwayError('CAPACITY_EXHAUSTED', 'server is at its concurrent-request limit', {
        retryAfterMs: RETRY_AFTER_MS,
      });
    }
    this.#used += 1;
  }

  release(): void {
    this.#used -= 1;
  }
}
