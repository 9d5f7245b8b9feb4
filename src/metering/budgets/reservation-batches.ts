// Asks the store for reservations. All requests of one turn of the event loop, or of the time in which a statement was under
// way, go in one statement. A statement that is not answered in time may still be carried out, so its requests are reported
// as unanswered, and a late answer is reported as well.

import { BatchPace } from '../../kernel/batch-pace.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { PendingReservation } from './pending-reservation.ts';
import type { ReservationRefusal, SharedBudgetStore } from './shared-budget-store.ts';

export type ReservationBatchesParts = {
  readonly store: Pick<SharedBudgetStore, 'reserveAll'>;
  readonly clock: Clock;
  /** Called right before the statement: false for a request that has ended or has to wait behind others by now. */
  readonly isNext: (pending: PendingReservation) => boolean;
  readonly onAnswer: (asked: Batch, refusals: readonly ReservationRefusal[]) => void;
  /** It is unknown whether the store has made, or will make, the reservations. */
  readonly onUnanswered: (asked: Batch) => void;
  readonly onLateAnswer: (asked: Batch) => void;
};

type Batch = readonly PendingReservation[];

const MAX_ANSWER_MS = 2000;
const MAX_BATCH = 500;

export class ReservationBatches {
  readonly #parts: ReservationBatchesParts;
  readonly #pace: BatchPace;
  #queued: PendingReservation[] = [];
  #isAsking = false;

  constructor(parts: ReservationBatchesParts) {
    this.#parts = parts;
    this.#pace = new BatchPace(parts.clock, () => void this.#askNext());
  }

  add(pending: PendingReservation): void {
    pending.state = 'queued';
    this.#queued.push(pending);
    if (!this.#isAsking) this.#pace.plan();
  }

  /** Removes the requests of which no statement has been sent. */
  takeQueued(): Batch {
    return this.#queued.splice(0);
  }

  async #askNext(): Promise<void> {
    if (this.#isAsking) return;
    const asked = this.#queued.splice(0, MAX_BATCH).filter((each) => this.#parts.isNext(each));
    if (asked.length > 0) {
      this.#isAsking = true;
      this.#pace.began(asked.length);
      await this.#ask(asked);
      this.#isAsking = false;
    }
    if (this.#queued.length > 0) this.#pace.plan();
  }

  async #ask(asked: Batch): Promise<void> {
    const { store, clock, onAnswer, onUnanswered, onLateAnswer } = this.#parts;
    for (const pending of asked) pending.state = 'asking';
    const late = Promise.withResolvers<'late'>();
    const cancelLate = clock.after(MAX_ANSWER_MS, () => late.resolve('late'));
    const reservations = asked.map(({ reservation }) => reservation);
    const answer = store.reserveAll(reservations, clock.now()).catch(() => undefined);
    const refusals = await Promise.race([answer, late.promise]);
    cancelLate();
    if (refusals === 'late') void answer.then((came) => came && onLateAnswer(asked));
    if (refusals === undefined || refusals === 'late') onUnanswered(asked);
    else onAnswer(asked, refusals);
  }
}
