// One requested reservation on its way to a decision, which is called back once or, if the request is withdrawn, never.
// States: queued → asking → decided, or asking → waiting (others have reserved the money) → asking …; withdrawn from any.

import type { CalendarMonth } from '../../kernel/calendar-month.ts';
import type { CancelTimer } from '../../kernel/clock.ts';
import type { BudgetDecision, ReservationRequest } from './budget-ledger.ts';
import { type BudgetReservation, newReservation } from './budget-reservation.ts';
import type { ReservationRefusal } from './shared-budget-store.ts';

export class PendingReservation {
  readonly reservation: BudgetReservation;
  readonly patienceMs: number;
  state: 'queued' | 'asking' | 'waiting' | 'decided' | 'withdrawn' = 'queued';
  /** Runs from the first time the request has to wait. */
  cancelPatience: CancelTimer | undefined;
  /** The next answer is final. */
  isOutOfPatience = false;
  /** The last answer of the store. */
  refusal: ReservationRefusal | undefined;
  readonly #month: CalendarMonth;
  readonly #onDecision: (decision: BudgetDecision) => void;

  constructor(
    request: ReservationRequest,
    month: CalendarMonth,
    onDecision: (decision: BudgetDecision) => void,
  ) {
    this.reservation = newReservation(request, month.number);
    this.patienceMs = request.patienceMs;
    this.#month = month;
    this.#onDecision = onDecision;
  }

  get isOver(): boolean {
    return this.state === 'decided' || this.state === 'withdrawn';
  }

  accept(): void {
    this.decide({ kind: 'reserved', month: this.#month.number });
  }

  refuse({ scope, limitNanos, spentNanos }: ReservationRefusal): void {
    this.decide({ kind: 'exceeded', scope, limitNanos, spentNanos, resetAt: this.#month.endsAt });
  }

  decide(decision: BudgetDecision): void {
    this.cancelPatience?.();
    this.state = 'decided';
    this.#onDecision(decision);
  }

  withdraw(): void {
    this.cancelPatience?.();
    this.state = 'withdrawn';
  }
}
