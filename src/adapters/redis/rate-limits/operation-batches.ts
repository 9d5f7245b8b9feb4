// Group commit of operations on Redis: one batch is in flight at a time. The deliverer of a batch handles its failure.

import { Batches } from '../../../kernel/batches/batches.ts';
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

export class OperationBatches extends Batches<PendingOperation> {
  /** `deliver` never rejects. */
  constructor(clock: Clock, deliver: (batch: readonly PendingOperation[]) => Promise<void>) {
    super(clock, MAX_BATCH_SIZE, deliver);
  }
}
