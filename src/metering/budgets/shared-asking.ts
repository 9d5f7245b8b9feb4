// One ask for money on its way to the store and back, told once or, withdrawn, never.
// States: queued → asking → told, or asking → waiting (others reservation what it needs) → asking …; withdrawn from any.

import type { CalendarMonth } from '../../kernel/calendar-month.ts';
import type { CancelTimer } from '../../kernel/clock.ts';
import type { BudgetDecision } from './budget-ledger.ts';
import type { BudgetReservation } from './budget-reservation.ts';
import type { ReservationRefusal } from './shared-budget-store.ts';

export class SharedAsking {
  readonly reservation: BudgetReservation;
  readonly month: CalendarMonth;
  readonly patienceMs: number;
  state: 'queued' | 'asking' | 'waiting' | 'told' | 'withdrawn' = 'queued';
  /** Runs from when it first had to wait. */
  cancelPatience: CancelTimer | undefined;
  /** The next answer is the last: it does not wait any more. */
  isOutOfPatience = false;
  /** Why it waits, as it was last told. */
  refusal: ReservationRefusal | undefined;
  readonly #tell: (decision: BudgetDecision) => void;

  constructor(
    reservation: BudgetReservation,
    month: CalendarMonth,
    patienceMs: number,
    tell: (decision: BudgetDecision) => void,
  ) {
    this.reservation = reservation;
    this.month = month;
    this.patienceMs = patienceMs;
    this.#tell = tell;
  }

  get isOver(): boolean {
    return this.state === 'told' || this.state === 'withdrawn';
  }

  reserved(): void {
    this.tell({ kind: 'reserved', month: this.month.number });
  }

  refuse({ scope, limitNanos, spentNanos }: ReservationRefusal): void {
    this.tell({ kind: 'exceeded', scope, limitNanos, spentNanos, resetAt: this.month.endsAt });
  }

  tell(decision: BudgetDecision): void {
    this.cancelPatience?.();
    this.state = 'told';
    this.#tell(decision);
  }
}
