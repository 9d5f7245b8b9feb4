// Asks the store for reservations, all those that came in one turn of the loop, or while a statement was under way, in one
// statement. One that is not answered in time is not waited for: whoever asked is told of the silence, and of an answer
// that comes after that.

import { BatchPace } from '../../kernel/batch-pace.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { SharedAsking } from './shared-asking.ts';
import type { ReservationRefusal, SharedBudgetStore } from './shared-budget-store.ts';

export type AskTogetherParts = {
  readonly store: Pick<SharedBudgetStore, 'reserveAll'>;
  readonly clock: Clock;
  /** Asked right before the statement: false for one that is over or that stands behind others by now. */
  readonly isNext: (asking: SharedAsking) => boolean;
  readonly onAnswer: (
    asked: readonly SharedAsking[],
    refusals: readonly ReservationRefusal[],
  ) => void;
  /** Nobody knows whether the store reservations what was asked for, or will. */
  readonly onSilence: (asked: readonly SharedAsking[]) => void;
  readonly onLateAnswer: (asked: readonly SharedAsking[]) => void;
};

const ANSWER_WITHIN_MS = 2000;
export const MAX_ASKED = 500;

export class AskTogether {
  readonly #parts: AskTogetherParts;
  readonly #pace: BatchPace;
  #queued: SharedAsking[] = [];
  #isAsking = false;

  constructor(parts: AskTogetherParts) {
    this.#parts = parts;
    this.#pace = new BatchPace(parts.clock, () => void this.#askAll());
  }

  add(asking: SharedAsking): void {
    asking.state = 'queued';
    this.#queued.push(asking);
    if (!this.#isAsking) this.#pace.plan();
  }

  /** Those of whom no statement has gone; they are left to the caller. */
  takeQueued(): readonly SharedAsking[] {
    return this.#queued.splice(0);
  }

  async #askAll(): Promise<void> {
    if (this.#isAsking) return;
    const { isNext } = this.#parts;
    const asked = this.#queued.splice(0, MAX_ASKED).filter((asking) => isNext(asking));
    if (asked.length > 0) {
      this.#isAsking = true;
      this.#pace.began(asked.length);
      await this.#ask(asked);
      this.#isAsking = false;
    }
    if (this.#queued.length > 0) this.#pace.plan();
  }

  async #ask(asked: readonly SharedAsking[]): Promise<void> {
    const { store, clock, onAnswer, onSilence, onLateAnswer } = this.#parts;
    for (const asking of asked) asking.state = 'asking';
    let isLate = false;
    const cancelLate = clock.after(ANSWER_WITHIN_MS, () => {
      isLate = true;
      onSilence(asked);
    });
    const reservations = asked.map(({ reservation }) => reservation);
    const refusals = await store.reserveAll(reservations, clock.now()).catch(() => undefined);
    cancelLate();
    if (isLate) return refusals && onLateAnswer(asked);
    if (refusals) onAnswer(asked, refusals);
    else onSilence(asked);
  }
}
