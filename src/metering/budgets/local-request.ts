// One request for a reservation in a process that decides alone. Its decision is called back once or, if the request is
// withdrawn, never. States: deciding → writing (reserved, not in the journal yet) → decided, or deciding → decided;
// withdrawn from any.

import type { CalendarMonth } from '../../kernel/calendar/calendar-month.ts';
import type { CancelTimer } from '../../kernel/clock.ts';
import type { BookRequest, Charge } from './budget-book.ts';
import type { BudgetDecision, ReservationRequest } from './budget-ledger.ts';
import { type BudgetReservation, newReservation } from './budget-reservation.ts';

export class LocalRequest implements BookRequest {
  readonly reservation: BudgetReservation;
  readonly charges: readonly Charge[];
  readonly month: CalendarMonth;
  state: 'deciding' | 'writing' | 'decided' | 'withdrawn' = 'deciding';
  /** Set while the request waits for other reservations to end. */
  cancelPatience: CancelTimer | undefined;
  readonly #notify: (decision: BudgetDecision) => void;
  readonly #write: (request: LocalRequest) => void;

  constructor(
    request: ReservationRequest,
    month: CalendarMonth,
    charges: readonly Charge[],
    notify: (decision: BudgetDecision) => void,
    write: (request: LocalRequest) => void,
  ) {
    this.reservation = newReservation(request, month.number);
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
    this.state = 'decided';
    this.#notify(decision);
  }
}
