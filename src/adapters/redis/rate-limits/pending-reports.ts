// Operations that Redis has not received yet: permits that this server admitted or ended by its safe share, permits that
// were given back, permits that it refused though Redis may have admitted them, and, after Redis has lost its data, the
// last observed count of each limit. An operation that fails becomes pending again.

import type { Admission, LocalAdmissions } from './local-admissions.ts';
import type { ObservedLimit } from './observed-limits.ts';
import { MAX_BATCH_SIZE, type PendingOperation } from './operation-batches.ts';
import {
  giveBackOperation,
  type Operation,
  type ReturnedPermit,
  reportOperation,
  reportSeenOperation,
} from './rate-limit-call.ts';

export class PendingReports {
  readonly #admissions: LocalAdmissions;
  readonly #returns: ReturnedPermit[] = [];
  readonly #observations: Operation[] = [];

  constructor(admissions: LocalAdmissions) {
    this.#admissions = admissions;
  }

  get size(): number {
    return this.#admissions.unreported.size + this.#returns.length + this.#observations.length;
  }

  /** The next batch at most. Observed counts come last: the script fills in only what the admissions do not explain. */
  next(): PendingOperation[] {
    const batch = this.#returns.splice(0, MAX_BATCH_SIZE).map((permit) => this.returning(permit));
    for (const admission of this.#admissions.takeUnreported(MAX_BATCH_SIZE - batch.length))
      batch.push(this.#reporting(admission));
    for (const operation of this.#observations.splice(0, MAX_BATCH_SIZE - batch.length))
      batch.push(this.#observing(operation));
    return batch;
  }

  /** Prepends the next pending operations to a batch. */
  aheadOf(batch: readonly PendingOperation[]): readonly PendingOperation[] {
    return this.size === 0 ? batch : [...this.next(), ...batch];
  }

  /** Redis has lost its data: all admissions and observations are reported again. */
  markAllUnreported(now: number, observed: Iterable<ObservedLimit>): void {
    this.#admissions.markAllUnreported(now);
    this.#observations.length = 0;
    for (const { limit, used, seenAt } of observed)
      this.#observations.push(reportSeenOperation(limit, used, seenAt));
  }

  addReturn(permit: ReturnedPermit): void {
    this.#returns.push(permit);
  }

  returning(permit: ReturnedPermit): PendingOperation {
    return {
      operation: giveBackOperation(permit),
      done() {},
      failed: () => this.addReturn(permit),
    };
  }

  #reporting(admission: Admission): PendingOperation {
    return {
      operation: reportOperation(admission),
      done() {},
      failed: () => {
        if (!admission.isGivenBack) this.#admissions.unreported.add(admission);
      },
    };
  }

  #observing(operation: Operation): PendingOperation {
    return { operation, done() {}, failed: () => void this.#observations.push(operation) };
  }
}
