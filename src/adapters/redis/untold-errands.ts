// What Redis is still to be told by this server, as errands: permits it admitted or ended while it was alone, and those
// that were given back, or refused here though Redis may have admitted them. What fails to be told is to be told again.

import type { PermitAsk } from '../../admission/rate-limiter.ts';
import { type Errand, MOST_AT_ONCE } from './errand-batches.ts';
import type { Admission, OwnAdmissions } from './own-admissions.ts';
import { giveBackOperation, tellOperation } from './rate-limit-call.ts';

export class UntoldErrands {
  readonly #own: OwnAdmissions;
  #unreturned: PermitAsk[] = [];

  constructor(own: OwnAdmissions) {
    this.#own = own;
  }

  get size(): number {
    return this.#own.untold.size + this.#unreturned.length;
  }

  /** The next of them, no more than go into one batch. */
  next(): Errand[] {
    const errands = this.#unreturned.splice(0, MOST_AT_ONCE).map((ask) => this.returning(ask));
    const room = MOST_AT_ONCE - errands.length;
    for (const admission of this.#own.takeUntold(room)) errands.push(this.#telling(admission));
    return errands;
  }

  addReturn(ask: PermitAsk): void {
    this.#unreturned.push(ask);
  }

  returning(ask: PermitAsk): Errand {
    return {
      operation: giveBackOperation(ask),
      done() {},
      failed: () => this.addReturn(ask),
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
}
