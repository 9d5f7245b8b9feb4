// Bounds the number of requests that this server serves at once. A request beyond the bound is refused immediately:
// queueing it would slow down all others. A server that drains grants no slot.

import { SpillwayError } from '../../errors/spillway-error.ts';

const RETRY_AFTER_MS = 1000;

export class RequestSlots {
  readonly #max: number;
  #used = 0;
  #isPaused = false;

  constructor(max: number) {
    this.#max = max;
  }

  get max(): number {
    return this.#max;
  }

  /** Grants no slot until `resume`; requests in progress keep theirs. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
  }

  get used(): number {
    return this.#used;
  }

  /** Throws CAPACITY_EXHAUSTED when all slots are in use or the server drains. Release each acquired slot once. */
  acquire(): void {
    if (this.#isPaused)
      throw new SpillwayError('CAPACITY_EXHAUSTED', 'server is draining', {
        retryAfterMs: RETRY_AFTER_MS,
      });
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
