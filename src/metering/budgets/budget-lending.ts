// Takes parcels of money for busy organisations from the store, and gives them back (budget-leases.ts says what they
// are). Only a budget with plenty left lends, a hundredth of it at most: near its end every attempt asks the store for
// itself, and the last cent goes to whoever comes first. A store that is away lends nothing; what is out pays on until
// its time is up.
//
// A parcel is in the journal before it is asked for, so that a server that comes back after its death finds what it had
// and releases it: what it paid for is in the same journal.

import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { Journal } from '../usage/journal.ts';
import type { JournalEntry } from '../usage/journal-entry.ts';
import type { UsageRecord } from '../usage/usage-record.ts';
import { BudgetLeases, type LeaseWish, LOOK_MS, PAYS_MS } from './budget-leases.ts';
import type { BudgetDecision } from './budget-ledger.ts';
import type { BudgetReservation } from './budget-reservation.ts';
import type { BudgetReserve } from './budget-reserve.ts';
import type { SharedBudgetStore } from './shared-budget-store.ts';

export type BudgetLendingParts = {
  readonly store: Pick<SharedBudgetStore, 'standing' | 'reserveAll'>;
  readonly reserve: Pick<BudgetReserve, 'touch'>;
  readonly journal: Pick<Journal<JournalEntry>, 'isWritable'>;
  readonly append: (entry: JournalEntry, onWritten: () => void) => void;
  /** Has the store take in all that the journal reservations; rejects while it is away. */
  readonly flush: () => Promise<void>;
  readonly clock: Clock;
  readonly isAway: () => boolean;
};

/** What is lent is this part of what is left, or less. */
const PART_LENT = 100;
/** Time for the store to learn of all that a parcel paid for; then it is settled as an estimate. */
const EXPIRES_MS = PAYS_MS + 13_000;

export class BudgetLending {
  readonly #parts: BudgetLendingParts;
  readonly #leases = new BudgetLeases();
  #cancelLook: CancelTimer | undefined;
  #isClosed = false;

  constructor(parts: BudgetLendingParts) {
    this.#parts = parts;
  }

  /**
   * Undefined when there is no money at hand for it. Otherwise it is reserved when it is in the journal, and may be withdrawn
   * until then. Budgets of keys and users are never lent.
   */
  pay(
    reservation: BudgetReservation,
    limitNanos: number,
    onDecision: OnDecision,
  ): (() => void) | undefined {
    if (reservation.reservesKey || reservation.reservesUser || this.#isClosed) return undefined;
    const { clock, journal } = this.#parts;
    if (!journal.isWritable()) return undefined;
    this.#cancelLook ??= clock.after(LOOK_MS, () => this.#look());
    if (!this.#leases.pay(reservation, limitNanos, clock.now())) return undefined;
    return this.#write(reservation, onDecision);
  }

  isOpen(id: string): boolean {
    return this.#leases.isOpen(id);
  }

  settle({ id, costNanos }: UsageRecord): void {
    this.#leases.settle(id, costNanos);
  }

  release(attemptId: string): void {
    this.#leases.release(attemptId);
  }

  stored(records: readonly UsageRecord[], opened: readonly BudgetReservation[]): void {
    this.#leases.stored(records, opened);
  }

  /** Somebody is short of money. */
  stop(organizationId: string): void {
    this.#leases.retire(organizationId, this.#parts.clock.now());
  }

  /** Has the store know all, also that what was lent to the organisation is not needed, where nothing it paid for is open. */
  async flush(organizationId: string): Promise<void> {
    const { flush } = this.#parts;
    this.#leases.retireUnused(organizationId);
    await flush();
    if (this.#giveBack()) await flush();
  }

  /** Nothing is lent any more. What is out is given back, here or, while the store is away, by the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelLook?.();
    this.#leases.retireAll();
    await this.#parts.flush().catch(() => {});
    this.#giveBack();
  }

  #write(reservation: BudgetReservation, onDecision: OnDecision): () => void {
    let isWithdrawn = false;
    this.#parts.append({ kind: 'reservation', reservation }, () => {
      if (!isWithdrawn) return onDecision({ kind: 'reserved', month: reservation.month });
      this.#leases.release(reservation.id);
      this.#release(reservation.id);
    });
    return () => {
      isWithdrawn = true;
    };
  }

  /** Releases what is done; true when there was anything. */
  #giveBack(): boolean {
    const done = this.#leases.takeDone();
    for (const id of done) this.#release(id);
    return done.length > 0;
  }

  #release(id: string): void {
    this.#parts.append({ kind: 'release', id }, () => {});
  }

  #look(): void {
    const { clock, isAway } = this.#parts;
    this.#cancelLook = undefined;
    const wishes = this.#leases.look(clock.now());
    for (const wish of wishes) {
      if (isAway()) this.#leases.denied(wish.organizationId, clock.now());
      else void this.#lend(wish);
    }
    this.#giveBack();
    if (!this.#leases.isIdle) this.#cancelLook = clock.after(LOOK_MS, () => this.#look());
  }

  async #lend(wish: LeaseWish): Promise<void> {
    const { clock } = this.#parts;
    const amountNanos = await this.#amountFor(wish).catch(() => 0);
    const now = clock.now();
    if (amountNanos < wish.leastNanos) return this.#leases.denied(wish.organizationId, now);
    const reservation = leaseReservation(wish, amountNanos, newId('lse'), now + EXPIRES_MS);
    this.#leases.asked(reservation);
    await new Promise<void>((resolve) =>
      this.#parts.append({ kind: 'lease', id: reservation.id }, resolve),
    );
    // It does not ask the store for each of its calls, and should have something set aside all the same.
    this.#parts.reserve.touch(reservation, now);
    const answer = await this.#answerFor(reservation, now);
    if (answer === 'reserved') this.#leases.granted(reservation, now + PAYS_MS);
    else this.#denied(reservation, answer);
    if (this.#isClosed) this.#giveBack();
  }

  async #amountFor({ organizationId, month, limitNanos, wantedNanos }: LeaseWish): Promise<number> {
    const account = { organizationId, kind: 'organization', scopeId: '', month } as const;
    const { postedNanos, reservedNanos } = await this.#parts.store.standing(account);
    const leftNanos = limitNanos - postedNanos - reservedNanos;
    return Math.min(wantedNanos, Math.floor(leftNanos / PART_LENT));
  }

  #answerFor(
    reservation: BudgetReservation,
    now: number,
  ): Promise<'reserved' | 'refused' | 'none'> {
    return this.#parts.store.reserveAll([reservation], now).then(
      (refusals) => (refusals.length === 0 ? 'reserved' : 'refused'),
      () => 'none',
    );
  }

  /** Where there was no answer, the store may reservation it all the same, or have yet to be asked. */
  #denied(reservation: BudgetReservation, answer: 'refused' | 'none'): void {
    const { append, clock } = this.#parts;
    this.#leases.denied(reservation.organizationId, clock.now(), reservation);
    if (answer === 'none') append({ kind: 'void', reservation }, () => {});
  }
}

type OnDecision = (decision: BudgetDecision) => void;

/** What it will have been spent on is not known; where its server dies, that is what the estimate says. */
function leaseReservation(
  { organizationId, month }: LeaseWish,
  amountNanos: number,
  id: string,
  expiresAt: number,
): BudgetReservation {
  return {
    id,
    requestId: id,
    attempt: 1,
    organizationId,
    keyId: '',
    userId: undefined,
    category: undefined,
    provider: 'unknown',
    model: 'unknown',
    streamed: false,
    amountNanos,
    reservesKey: false,
    reservesUser: false,
    month,
    expiresAt,
  };
}
