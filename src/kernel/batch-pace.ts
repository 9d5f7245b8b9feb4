// When the next batch of asks is to go, where a batch costs far more than an ask in it. All of one turn of the loop go
// together. Where many ask at once, batches also begin some time apart, so that each carries more of them; whoever asks
// alone never waits. One batch at a time: the owner says when it begins and plans the next when it has ended.

import type { Clock } from './clock.ts';

/** Nothing beside the call that is asked for, and enough to gather in when thousands ask in a second. */
const APART_MS = 3;
/** From here on a batch is a crowd's. */
const CROWD = 4;

export class BatchPace {
  readonly #clock: Clock;
  readonly #begin: () => void;
  #isPlanned = false;
  #lastBeganAt = 0;
  #wasCrowded = false;

  constructor(clock: Clock, begin: () => void) {
    this.#clock = clock;
    this.#begin = begin;
  }

  /** Somebody waits for the next batch, and none is under way. */
  plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    const waitMs = this.#wasCrowded ? this.#lastBeganAt + APART_MS - this.#clock.monotonic() : 0;
    // A timer is no finer than a millisecond.
    if (waitMs >= 1) this.#clock.after(waitMs, this.#due);
    else setImmediate(this.#due);
  }

  began(size: number): void {
    this.#lastBeganAt = this.#clock.monotonic();
    this.#wasCrowded = size >= CROWD;
  }

  readonly #due = (): void => {
    this.#isPlanned = false;
    this.#begin();
  };
}
