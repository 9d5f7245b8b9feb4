// Budgets of a process that has its store to itself. Decisions are made in memory, at once; a reservation is in the local
// journal before it is told, so that it survives the process. What was spent is read from the store when a budget is
// first used in a month and kept up from then on; the store learns of spending from the journal, with the usage
// records. A store that is away only keeps budgets waiting that were never used; a journal that cannot be written
// makes every ask `unavailable`.

import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { DrainListener } from '../usage/drain-usage.ts';
import type { Journal } from '../usage/journal.ts';
import type { JournalEntry } from '../usage/journal-entry.ts';
import type { Mutex } from '../usage/mutex.ts';
import { UnstoredUsage } from '../usage/unstored-usage.ts';
import { LOST, type UsageRecord } from '../usage/usage-record.ts';
import type { BudgetAccount } from './budget-account.ts';
import { Asking } from './budget-asking.ts';
import { type BookAsk, BudgetBook, type Charge } from './budget-book.ts';
import { BudgetCharges } from './budget-charges.ts';
import type {
  BudgetDecision,
  BudgetLedger,
  BudgetOwner,
  BudgetScopeKind,
  BudgetStatus,
  ReservationRequest,
  ReservedAttempt,
} from './budget-ledger.ts';
import { type BudgetReservation, lostRecord } from './budget-reservation.ts';
import { budgetStatus } from './budget-status.ts';
import type { BudgetStore } from './budget-store.ts';

export type LocalLedgerParts = {
  /** Its entries reach the store soon after they are written. */
  readonly journal: Pick<Journal<JournalEntry>, 'append' | 'isWritable'>;
  readonly store: BudgetStore;
  /** Shared with the drain of the journal. */
  readonly mutex: Mutex;
  readonly clock: Clock;
};

const SWEEP_MS = 1000;
/** Attempts given up as lost whose own record may still come. */
const REMEMBERED_LOSSES = 10_000;

export class LocalLedger implements BudgetLedger, DrainListener {
  readonly reservationsAreRows = false;
  readonly #parts: LocalLedgerParts;
  readonly #book = new BudgetBook();
  readonly #charges = new BudgetCharges(this.#book.accounts);
  readonly #unstored = new UnstoredUsage();
  readonly #loading = new Map<BudgetAccount<BookAsk>, Promise<void>>();
  readonly #losing = new Set<string>();
  readonly #lost = new Map<string, number>();
  #cancelSweep: CancelTimer | undefined;
  #isClosed = false;

  constructor(parts: LocalLedgerParts) {
    this.#parts = parts;
  }

  reserve(ask: ReservationRequest, onDecision: (decision: BudgetDecision) => void): () => void {
    const { month, charges: common } = this.#charges.ofOwner(ask.owner, this.#parts.clock.now());
    const { userId } = ask.attempt;
    const user =
      userId === undefined ? undefined : this.#charges.of(ask.owner, 'user', month.number, userId);
    const charges = user ? [...common, user] : common;
    const asking = new Asking(ask, month, charges, onDecision, this.#write);
    if (charges.every(isLoaded)) this.#decide(asking, ask.patienceMs);
    else this.#decideLoaded(asking, ask.patienceMs);
    return () => this.#withdraw(asking);
  }

  release(attempt: ReservedAttempt): void {
    if (!this.#book.isOpen(attempt.id)) return;
    this.#parts.journal.append({ kind: 'release', id: attempt.id }, () => {});
    this.#book.release(attempt.id);
  }

  settle(record: UsageRecord): void {
    if (this.#losing.size > 0) this.#losing.delete(record.id);
    const isLost = record.status === LOST;
    if (isLost && !this.#book.isOpen(record.id)) return;
    const month = record.budgetMonth ?? this.#charges.monthOf(record);
    const estimate = this.#lost.size === 0 ? 0 : (this.#lost.get(record.id) ?? 0);
    const nanos = record.costNanos - estimate;
    this.#book.settle(record, month, nanos);
    this.#unstored.add(record, month, nanos);
    if (isLost) this.#rememberLoss(record);
    else if (estimate > 0) this.#lost.delete(record.id);
  }

  async status(
    owner: BudgetOwner,
    scope: BudgetScopeKind,
    userId?: string,
  ): Promise<BudgetStatus | undefined> {
    const { clock, store } = this.#parts;
    const now = clock.now();
    const month = this.#charges.monthAt(owner, now);
    const charge = this.#charges.of(owner, scope, month.number, userId);
    if (!charge) return undefined;
    const { account, limitNanos } = charge;
    if (!account.isLoaded) await this.#load(account);
    return budgetStatus(store, account, account, limitNanos, month, now);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelSweep?.();
    return Promise.resolve();
  }

  isOpen(attemptId: string): boolean {
    return this.#book.isOpen(attemptId);
  }

  stored(records: readonly UsageRecord[]): void {
    this.#unstored.stored(records);
  }

  /** Reservations of a former life stay reserved until they expire. Its journal must have been drained: they are in the store then. */
  async adopt(): Promise<void> {
    for (const reservation of await this.#parts.store.openReservations()) {
      if (!this.#book.isOpen(reservation.id))
        this.#book.adopt(reservation, this.#charges.ofReservation(reservation));
    }
    this.#scheduleSweep();
  }

  #decide(asking: Asking, patienceMs: number): void {
    const answer = this.#book.ask(asking);
    if (answer === 'reserved') return asking.onReserved();
    if (answer !== 'waiting') return asking.onExceeded(answer);
    asking.cancelPatience = this.#parts.clock.after(patienceMs, () => {
      const charge = this.#book.withdraw(asking);
      if (charge) asking.onExceeded(charge);
    });
  }

  #decideLoaded(asking: Asking, patienceMs: number): void {
    Promise.all(asking.charges.map(({ account }) => this.#load(account))).then(
      () => asking.state === 'deciding' && this.#decide(asking, patienceMs),
      () => asking.state === 'deciding' && asking.decide({ kind: 'unavailable' }),
    );
  }

  readonly #write = (asking: Asking): void => {
    this.#scheduleSweep();
    this.#parts.journal.append({ kind: 'reservation', reservation: asking.reservation }, () => {
      if (asking.state !== 'writing') return;
      if (this.#parts.journal.isWritable())
        return asking.decide({ kind: 'reserved', month: asking.month.number });
      this.release(asking.reservation);
      asking.decide({ kind: 'unavailable' });
    });
  };

  #withdraw(asking: Asking): void {
    if (asking.state === 'told' || asking.state === 'withdrawn') return;
    const isReserved = asking.state === 'writing';
    asking.state = 'withdrawn';
    asking.cancelPatience?.();
    if (isReserved) this.release(asking.reservation);
    else this.#book.withdraw(asking);
  }

  /** Once per account: what is stored and what is on its way there, with no batch in between. */
  #load(account: BudgetAccount<BookAsk>): Promise<void> {
    if (account.isLoaded) return Promise.resolve();
    const known = this.#loading.get(account);
    if (known) return known;
    const loading = this.#parts
      .mutex(async () => {
        const { postedNanos } = await this.#parts.store.standing(account);
        account.postedNanos = postedNanos + this.#unstored.sumOf(account);
        account.isLoaded = true;
      })
      .finally(() => this.#loading.delete(account));
    this.#loading.set(account, loading);
    return loading;
  }

  #scheduleSweep(): void {
    if (this.#cancelSweep || this.#isClosed || this.#book.openCount === 0) return;
    this.#cancelSweep = this.#parts.clock.after(SWEEP_MS, () => {
      this.#cancelSweep = undefined;
      const now = this.#parts.clock.now();
      for (const { reservation } of this.#book.reservations())
        if (reservation.expiresAt <= now) this.#lose(reservation, now);
      this.#scheduleSweep();
    });
  }

  #lose(reservation: BudgetReservation, now: number): void {
    if (this.#losing.has(reservation.id)) return;
    this.#losing.add(reservation.id);
    const record = lostRecord(reservation, now);
    this.#parts.journal.append({ kind: 'usage', record }, () => this.settle(record));
  }

  #rememberLoss(record: UsageRecord): void {
    this.#lost.set(record.id, record.costNanos);
    if (this.#lost.size <= REMEMBERED_LOSSES) return;
    for (const id of this.#lost.keys()) {
      this.#lost.delete(id);
      return;
    }
  }
}

function isLoaded({ account }: Charge): boolean {
  return account.isLoaded;
}
