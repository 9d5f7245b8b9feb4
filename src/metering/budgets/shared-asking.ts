// One ask for money on its way to the store and back, told once or, withdrawn, never.
// States: queued → asking → told, or asking → waiting (others hold what it needs) → asking …; withdrawn from any.

import type { CalendarMonth } from '../../kernel/calendar-month.ts';
import type { CancelTimer } from '../../kernel/clock.ts';
import type { BudgetHold } from './budget-hold.ts';
import type { BudgetDecision } from './budget-ledger.ts';
import type { HoldRefusal } from './shared-budget-store.ts';

export class SharedAsking {
  readonly hold: BudgetHold;
  readonly month: CalendarMonth;
  readonly patienceMs: number;
  state: 'queued' | 'asking' | 'waiting' | 'told' | 'withdrawn' = 'queued';
  /** Runs from when it first had to wait. */
  cancelPatience: CancelTimer | undefined;
  /** The next answer is the last: it does not wait any more. */
  isOutOfPatience = false;
  /** Why it waits, as it was last told. */
  refusal: HoldRefusal | undefined;
  readonly #tell: (decision: BudgetDecision) => void;

  constructor(
    hold: BudgetHold,
    month: CalendarMonth,
    patienceMs: number,
    tell: (decision: BudgetDecision) => void,
  ) {
    this.hold = hold;
    this.month = month;
    this.patienceMs = patienceMs;
    this.#tell = tell;
  }

  get isOver(): boolean {
    return this.state === 'told' || this.state === 'withdrawn';
  }

  held(): void {
    this.tell({ kind: 'held', month: this.month.number });
  }

  refuse({ scope, limitNanos, spentNanos }: HoldRefusal): void {
    this.tell({ kind: 'exceeded', scope, limitNanos, spentNanos, resetAt: this.month.endsAt });
  }

  tell(decision: BudgetDecision): void {
    this.cancelPatience?.();
    this.state = 'told';
    this.#tell(decision);
  }
}
