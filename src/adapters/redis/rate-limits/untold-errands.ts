// What Redis is still to be told by this server, as errands: permits it admitted or ended while it was alone, those
// that were given back, or refused here though Redis may have admitted them, and, when Redis has lost its data, what
// was last seen of each limit. What fails to be told is to be told again.

import { type Errand, MAX_AT_ONCE } from './errand-batches.ts';
import type { ObservedLimit } from './observed-limits.ts';
import type { Admission, OwnAdmissions } from './own-admissions.ts';
import {
  giveBackOperation,
  type Operation,
  type ReturnedPermit,
  seenOperation,
  tellOperation,
} from './rate-limit-call.ts';

export class UntoldErrands {
  readonly #own: OwnAdmissions;
  readonly #unreturned: ReturnedPermit[] = [];
  readonly #unseen: Operation[] = [];

  constructor(own: OwnAdmissions) {
    this.#own = own;
  }

  get size(): number {
    return this.#own.untold.size + this.#unreturned.length + this.#unseen.length;
  }

  /** The next of them, no more than go into one batch; sums come last, when what they are made of has been told. */
  next(): Errand[] {
    const errands = this.#unreturned.splice(0, MAX_AT_ONCE).map((permit) => this.returning(permit));
    for (const admission of this.#own.takeUntold(MAX_AT_ONCE - errands.length))
      errands.push(this.#telling(admission));
    for (const operation of this.#unseen.splice(0, MAX_AT_ONCE - errands.length))
      errands.push(this.#showing(operation));
    return errands;
  }

  /** The next of them in front of what is asked. */
  aheadOf(batch: readonly Errand[]): readonly Errand[] {
    return this.size === 0 ? batch : [...this.next(), ...batch];
  }

  /** Redis has lost its data: everything is to be told again. */
  forgetTold(now: number, seen: Iterable<ObservedLimit>): void {
    this.#own.forgetTold(now);
    this.#unseen.length = 0;
    for (const { limit, used, seenAt } of seen)
      this.#unseen.push(seenOperation(limit, used, seenAt));
  }

  addReturn(permit: ReturnedPermit): void {
    this.#unreturned.push(permit);
  }

  returning(permit: ReturnedPermit): Errand {
    return {
      operation: giveBackOperation(permit),
      done() {},
      failed: () => this.addReturn(permit),
    };
  }

  #telling(admission: Admission): Errand {
    return {
      operation: tellOperation(admission),
      done() {},
      failed: () => {
        if (!admission.isGivenBack) this.#own.untold.add(admission);
      },
    };
  }

  #showing(operation: Operation): Errand {
    return { operation, done() {}, failed: () => void this.#unseen.push(operation) };
  }
}
