// Budgets of a process that has its store to itself. Decisions are made in memory; a reservation is in the local journal
// before its request is decided, so that it survives the process. The posted amount of a budget is read from the store when
// the budget is first used in a month and kept up to date here; the store gets costs with the usage records from the
// journal. An unavailable store delays only budgets that are not loaded yet; while the journal cannot be written, every
// request is `unavailable`.

import { postingMonth } from '../../kernel/calendar/calendar-month.ts';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { DrainListener } from '../usage/drain-usage.ts';
import type { Journal } from '../usage/journal.ts';
import type { JournalEntry } from '../usage/journal-entry.ts';
import type { Mutex } from '../usage/mutex.ts';
import { UnstoredUsage } from '../usage/unstored-usage.ts';
import { LOST, type UsageRecord } from '../usage/usage-record.ts';
import type { BudgetAccount } from './budget-account.ts';
import { type BookRequest, BudgetBook, type Charge } from './budget-book.ts';
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
import { LocalRequest } from './local-request.ts';

export type LocalLedgerParts = {
  /** Its entries reach the store soon after they are written. */
  readonly journal: Pick<Journal<JournalEntry>, 'append' | 'isWritable'>;
  readonly store: BudgetStore;
  /** Shared with the drain of the journal. */
  readonly mutex: Mutex;
  readonly clock: Clock;
};

const SWEEP_MS = 1000;
/** Attempts that were settled as estimates; their own records may still arrive. */
const REMEMBERED_LOSSES = 10_000;

export class LocalLedger implements BudgetLedger, DrainListener {
  readonly reservationsAreRows = false;
  readonly #parts: LocalLedgerParts;
  readonly #book = new BudgetBook();
  readonly #charges = new BudgetCharges(this.#book.accounts);
  readonly #unstored = new UnstoredUsage();
  readonly #loading = new Map<BudgetAccount<BookRequest>, Promise<void>>();
  readonly #losing = new Set<string>();
  readonly #lost = new Map<string, number>();
  #cancelSweep: CancelTimer | undefined;
  #isClosed = false;

  constructor(parts: LocalLedgerParts) {
    this.#parts = parts;
  }

  reserve(asked: ReservationRequest, onDecision: (decision: BudgetDecision) => void): () => void {
    const { month, charges: common } = this.#charges.ofOwner(asked.owner, this.#parts.clock.now());
    const { userId } = asked.attempt;
    const user =
      userId === undefined
        ? undefined
        : this.#charges.of(asked.owner, 'user', month.number, userId);
    const charges = user ? [...common, user] : common;
    const request = new LocalRequest(asked, month, charges, onDecision, this.#write);
    if (charges.every(isLoaded)) this.#decide(request, asked.patienceMs);
    else this.#decideLoaded(request, asked.patienceMs);
    return () => this.#withdraw(request);
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
    const month = postingMonth(record);
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
    const { month } = this.#charges.ofOwner(owner, now);
    const charge = this.#charges.of(owner, scope, month.number, userId);
    if (!charge) return undefined;
    if (!isLoaded(charge)) await this.#load(charge.account);
    return budgetStatus(store, charge, charge.account, month, now);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelSweep?.();
    return Promise.resolve();
  }

  isOpen(attemptId: string): boolean {
    return this.#book.isOpen(attemptId);
  }

  /** Budgets of one process have no allotments; its journal may have those of its time in a cluster. */
  hasAllotment(): boolean {
    return false;
  }

  stored(records: readonly UsageRecord[]): void {
    this.#unstored.stored(records);
  }

  /** Takes over the reservations of the previous process from the store. Its journal must have been drained before. */
  async adopt(): Promise<void> {
    for (const reservation of await this.#parts.store.openReservations()) {
      if (!this.#book.isOpen(reservation.id))
        this.#book.adopt(reservation, this.#charges.ofReservation(reservation));
    }
    this.#scheduleSweep();
  }

  #decide(request: LocalRequest, patienceMs: number): void {
    const answer = this.#book.reserve(request);
    if (answer === 'reserved') return request.onReserved();
    if (answer !== 'waiting') return request.onExceeded(answer);
    request.cancelPatience = this.#parts.clock.after(patienceMs, () => {
      const charge = this.#book.withdraw(request);
      if (charge) request.onExceeded(charge);
    });
  }

  #decideLoaded(request: LocalRequest, patienceMs: number): void {
    Promise.all(request.charges.map(({ account }) => this.#load(account))).then(
      () => request.state === 'deciding' && this.#decide(request, patienceMs),
      () => request.state === 'deciding' && request.decide({ kind: 'unavailable' }),
    );
  }

  readonly #write = (request: LocalRequest): void => {
    this.#scheduleSweep();
    this.#parts.journal.append({ kind: 'reservation', reservation: request.reservation }, () => {
      if (request.state !== 'writing') return;
      if (this.#parts.journal.isWritable())
        return request.decide({ kind: 'reserved', month: request.month.number });
      this.release(request.reservation);
      request.decide({ kind: 'unavailable' });
    });
  };

  #withdraw(request: LocalRequest): void {
    if (request.state === 'decided' || request.state === 'withdrawn') return;
    const isReserved = request.state === 'writing';
    request.state = 'withdrawn';
    request.cancelPatience?.();
    if (isReserved) this.release(request.reservation);
    else this.#book.withdraw(request);
  }

  /** Adds the stored amount and the amount that is not stored yet, under the drain's mutex: no batch moves in between. */
  #load(account: BudgetAccount<BookRequest>): Promise<void> {
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
