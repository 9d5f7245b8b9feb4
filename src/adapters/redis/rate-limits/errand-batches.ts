// Errands that gather into batches: all of one turn of the loop go together, and those that come while a batch is under
// way go with the next. A batch costs far more than an errand in it, so there is one at a time, and in a crowd they keep
// their distance. Whoever delivers a batch deals with its failure.

import { BatchPace } from '../../../kernel/batch-pace.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Answer, Operation } from './rate-limit-call.ts';

/** Something to be done in the next batch, and what to do with its outcome. One of the two is called, once. */
export type Errand = {
  readonly operation: Operation;
  done(answer: Answer, now: number): void;
  /** Whether it was done is not known. */
  failed(): void;
};

/** A script holds up everybody else while it runs. */
export const MAX_AT_ONCE = 256;

export class ErrandBatches {
  readonly #deliver: (batch: readonly Errand[]) => Promise<void>;
  readonly #pace: BatchPace;
  #inFlight: Promise<void> | undefined;
  #waiting: Errand[] = [];

  /** `deliver` never rejects. */
  constructor(clock: Clock, deliver: (batch: readonly Errand[]) => Promise<void>) {
    this.#deliver = deliver;
    this.#pace = new BatchPace(clock, () => this.#flush());
  }

  add(errand: Errand): void {
    this.#waiting.push(errand);
    if (!this.#inFlight) this.#pace.plan();
  }

  /** Resolves when nothing waits and nothing is under way. */
  async drain(): Promise<void> {
    while (this.#waiting.length > 0 || this.#inFlight) {
      this.#flush();
      await this.#inFlight;
    }
  }

  #flush(): void {
    if (this.#inFlight || this.#waiting.length === 0) return;
    const batch = this.#waiting;
    this.#waiting = batch.length > MAX_AT_ONCE ? batch.splice(MAX_AT_ONCE) : [];
    this.#pace.began(batch.length);
    this.#inFlight = this.#deliver(batch).finally(() => {
      this.#inFlight = undefined;
      if (this.#waiting.length > 0) this.#pace.plan();
    });
  }
}
