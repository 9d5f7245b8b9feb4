// One ask for money on its way to a decision, which it is told once or, withdrawn, never.
// States: deciding → writing (reserved; the journal does not have it yet) → told, or deciding → told; withdrawn from any.

import type { CalendarMonth } from '../../kernel/calendar-month.ts';
import type { CancelTimer } from '../../kernel/clock.ts';
import type { BookAsk, Charge } from './budget-book.ts';
import type { BudgetDecision, ReservationRequest } from './budget-ledger.ts';
import { type BudgetReservation, newReservation } from './budget-reservation.ts';

export class Asking implements BookAsk {
  readonly reservation: BudgetReservation;
  readonly charges: readonly Charge[];
  readonly month: CalendarMonth;
  state: 'deciding' | 'writing' | 'told' | 'withdrawn' = 'deciding';
  /** Set while it waits for others to settle. */
  cancelPatience: CancelTimer | undefined;
  readonly #notify: (decision: BudgetDecision) => void;
  readonly #write: (asking: Asking) => void;

  constructor(
    ask: ReservationRequest,
    month: CalendarMonth,
    charges: readonly Charge[],
    notify: (decision: BudgetDecision) => void,
    write: (asking: Asking) => void,
  ) {
    this.reservation = newReservation(ask, month.number);
    this.month = month;
    this.charges = charges;
    this.#notify = notify;
    this.#write = write;
  }

  onReserved(): void {
    this.cancelPatience?.();
    this.state = 'writing';
    this.#write(this);
  }

  onExceeded({ account, limitNanos }: Charge): void {
    this.decide({
      kind: 'exceeded',
      scope: account.kind,
      limitNanos,
      spentNanos: account.postedNanos,
      resetAt: this.month.endsAt,
    });
  }

  decide(decision: BudgetDecision): void {
    this.cancelPatience?.();
    this.state = 'told';
    this.#notify(decision);
  }
}
