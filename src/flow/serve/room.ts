// How many requests this server works on at once. Beyond that it says so at once, rather than let everything become
// slow for everybody.

import { SpillwayError } from '../../errors/spillway-error.ts';

const RETRY_AFTER_MS = 1000;

export class Room {
  readonly #most: number;
  #used = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get used(): number {
    return this.#used;
  }

  /** Throws CAPACITY_EXHAUSTED when it is full; whoever entered leaves once. */
  enter(): void {
    if (this.#used >= this.#most) {
      throw new SpillwayError('CAPACITY_EXHAUSTED', 'this server works on as much as it may', {
        retryAfterMs: RETRY_AFTER_MS,
      });
    }
    this.#used += 1;
  }

  leave(): void {
    this.#used -= 1;
  }
}
