// Group commit: decides when the next batch of store or Redis operations starts, where the round trip costs far more than
// one operation in it. Operations of one turn of the event loop share a batch. After a large batch the next one starts
// at least MIN_DISTANCE_MS later, so that it collects more; a single operation under light load never waits.
// One batch at a time: the owner reports its start with `began` and calls `plan` again when it has ended.

import type { Clock } from '../clock.ts';

/** Negligible next to a provider call, and long enough to collect several operations at thousands per second. */
const MIN_DISTANCE_MS = 3;
/** Smaller batches are light load: the next one starts without a delay. */
const MIN_LARGE_BATCH = 4;

export class BatchPace {
  readonly #clock: Clock;
  readonly #begin: () => void;
  #isPlanned = false;
  #lastBeganAt = 0;
  #wasLarge = false;

  constructor(clock: Clock, begin: () => void) {
    this.#clock = clock;
    this.#begin = begin;
  }

  /** Schedules a batch; the owner calls it while operations wait and no batch is in flight. */
  plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    const waitMs = this.#wasLarge
      ? this.#lastBeganAt + MIN_DISTANCE_MS - this.#clock.monotonic()
      : 0;
    // Timers have a resolution of one millisecond.
    if (waitMs >= 1) this.#clock.after(waitMs, this.#due);
    else setImmediate(this.#due);
  }

  began(size: number): void {
    this.#lastBeganAt = this.#clock.monotonic();
    this.#wasLarge = size >= MIN_LARGE_BATCH;
  }

  readonly #due = (): void => {
    this.#isPlanned = false;
    this.#begin();
  };
}
