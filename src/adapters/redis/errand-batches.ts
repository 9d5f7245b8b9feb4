// Errands that gather into batches: all of one turn of the loop go together, and those that come while a batch is under
// way go with the next. A batch costs far more than an errand in it, so there is one at a time. Whoever delivers a batch
// deals with its failure.

import type { Answer, Operation } from './rate-limit-call.ts';

/** Something to be done in the next batch, and what to do with its outcome. One of the two is called, once. */
export type Errand = {
  readonly operation: Operation;
  done(answer: Answer, now: number): void;
  /** Whether it was done is not known. */
  failed(): void;
};

const MOST_IN_FLIGHT = 1;
/** A script holds up everybody else while it runs. */
export const MOST_AT_ONCE = 256;

export class ErrandBatches {
  readonly #deliver: (batch: readonly Errand[]) => Promise<void>;
  readonly #inFlight = new Set<Promise<void>>();
  #waiting: Errand[] = [];
  #isFlushDue = false;

  /** `deliver` never rejects. */
  constructor(deliver: (batch: readonly Errand[]) => Promise<void>) {
    this.#deliver = deliver;
  }

  add(errand: Errand): void {
    this.#waiting.push(errand);
    if (this.#inFlight.size < MOST_IN_FLIGHT) this.#flushSoon();
  }

  /** Resolves when nothing waits and nothing is under way. */
  async drain(): Promise<void> {
    while (this.#waiting.length > 0 || this.#inFlight.size > 0) {
      this.#flush();
      await Promise.all(this.#inFlight);
    }
  }

  #flushSoon(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isFlushDue = false;
    while (this.#waiting.length > 0 && this.#inFlight.size < MOST_IN_FLIGHT) {
      const batch = this.#waiting;
      this.#waiting = batch.length > MOST_AT_ONCE ? batch.splice(MOST_AT_ONCE) : [];
      const running = this.#deliver(batch).finally(() => {
        this.#inFlight.delete(running);
        if (this.#waiting.length > 0) this.#flushSoon();
      });
      this.#inFlight.add(running);
    }
  }
}
