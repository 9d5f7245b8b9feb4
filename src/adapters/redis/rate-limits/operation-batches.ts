// Group commit of operations on Redis: all operations of one turn of the event loop form a batch, and operations that come
// while a batch is in flight form the next one. A round trip costs far more than an operation, so one batch is in flight
// at a time, and under load batches are spaced. The deliverer of a batch handles its failure.

import { BatchPace } from '../../../kernel/batch-pace.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Answer, Operation } from './rate-limit-call.ts';

/** An operation of the next batch. Either `done` or `failed` is called, once. */
export type PendingOperation = {
  readonly operation: Operation;
  done(answer: Answer, now: number): void;
  /** Redis may or may not have carried it out. */
  failed(): void;
};

/** Redis serves no other client while the script runs. */
export const MAX_BATCH_SIZE = 256;

export class OperationBatches {
  readonly #deliver: (batch: readonly PendingOperation[]) => Promise<void>;
  readonly #pace: BatchPace;
  #inFlight: Promise<void> | undefined;
  #waiting: PendingOperation[] = [];

  /** `deliver` never rejects. */
  constructor(clock: Clock, deliver: (batch: readonly PendingOperation[]) => Promise<void>) {
    this.#deliver = deliver;
    this.#pace = new BatchPace(clock, () => this.#flush());
  }

  add(pending: PendingOperation): void {
    this.#waiting.push(pending);
    if (!this.#inFlight) this.#pace.plan();
  }

  /** Resolves when no operation waits and none is in flight. */
  async drain(): Promise<void> {
    while (this.#waiting.length > 0 || this.#inFlight) {
      this.#flush();
      await this.#inFlight;
    }
  }

  #flush(): void {
    if (this.#inFlight || this.#waiting.length === 0) return;
    const batch = this.#waiting;
    this.#waiting = batch.length > MAX_BATCH_SIZE ? batch.splice(MAX_BATCH_SIZE) : [];
    this.#pace.began(batch.length);
    this.#inFlight = this.#deliver(batch).finally(() => {
      this.#inFlight = undefined;
      if (this.#waiting.length > 0) this.#pace.plan();
    });
  }
}
