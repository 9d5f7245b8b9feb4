// One requested reservation on its way to a decision, which is called back once or, if the request is withdrawn, never.
// States: asking → over, or asking → waiting (others have reserved the money) → asking …; a withdrawn request is over.

import type { CalendarMonth } from '../../kernel/calendar/calendar-month.ts';
import type { CancelTimer } from '../../kernel/clock.ts';
import type { BudgetDecision, ReservationRequest } from './budget-ledger.ts';
import { type BudgetReservation, newReservation } from './budget-reservation.ts';
import type { ReservationRefusal } from './shared-budget-store.ts';

export class PendingReservation {
  readonly reservation: BudgetReservation;
  readonly patienceMs: number;
  state: 'asking' | 'waiting' | 'over' = 'asking';
  /** Runs from the first time the request has to wait. */
  cancelPatience: CancelTimer | undefined;
  /** The next answer is final. */
  isOutOfPatience = false;
  readonly #resetAt: number;
  readonly #onDecision: (decision: BudgetDecision) => void;

  constructor(
    request: ReservationRequest,
    month: CalendarMonth,
    onDecision: (decision: BudgetDecision) => void,
  ) {
    this.reservation = newReservation(request, month.number);
    this.patienceMs = request.patienceMs;
    this.#resetAt = month.endsAt;
    this.#onDecision = onDecision;
  }

  accept(): void {
    this.end({ kind: 'reserved', month: this.reservation.month });
  }

  refuse({ scope, limitNanos, spentNanos }: ReservationRefusal): void {
    this.end({ kind: 'exceeded', scope, limitNanos, spentNanos, resetAt: this.#resetAt });
  }

  end(decision: BudgetDecision): void {
    this.withdraw();
    this.#onDecision(decision);
  }

  withdraw(): void {
    this.cancelPatience?.();
    this.state = 'over';
  }
}
