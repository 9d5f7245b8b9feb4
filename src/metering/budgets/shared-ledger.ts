// Budgets that several servers share. A request is paid from a working allotment of this server if its organisation has one
// (allotments.ts), and otherwise reserved by the store, in a batch with others (reservation-batches.ts). A request that others
// have reserved the money of waits here; it is asked for again when an attempt of this server ends, and periodically for
// attempts of other servers.
//
// While the store is unavailable, requests are paid from standby allotments; when these are used up, they are `unavailable`.
// A statement that was not answered may still reserve after its requests were decided here and their attempts have ended.
// The end of such an attempt is stored as a void, which makes the late statement reserve nothing.

import { createMonthCache } from '../../kernel/calendar-month.ts';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { DrainListener } from '../usage/drain-usage.ts';
import type { Journal } from '../usage/journal.ts';
import type { JournalEntry } from '../usage/journal-entry.ts';
import type { UsageRecord } from '../usage/usage-record.ts';
import { AllotmentRenewal } from './allotment-renewal.ts';
import { Allotments } from './allotments.ts';
import { budgetOf } from './budget-charges.ts';
import type {
  BudgetDecision,
  BudgetLedger,
  BudgetOwner,
  BudgetScopeKind,
  BudgetStatus,
  ReservationRequest,
  ReservedAttempt,
} from './budget-ledger.ts';
import type { BudgetReservation } from './budget-reservation.ts';
import { budgetStatus } from './budget-status.ts';
import type { CrossedThreshold } from './budget-threshold.ts';
import { PendingReservation } from './pending-reservation.ts';
import { ReservationBatches } from './reservation-batches.ts';
import type {
  AllotmentPurpose,
  ReservationRefusal,
  SharedBudgetStore,
} from './shared-budget-store.ts';

export type SharedLedgerParts = {
  readonly store: SharedBudgetStore;
  readonly serverId: string;
  /** The life of a standby allotment that is not renewed. */
  readonly reserveMs: number;
  /** Its entries reach the store soon after they are written. */
  readonly journal: Pick<Journal<JournalEntry>, 'append' | 'isWritable'>;
  /** Stores all entries of the journal; rejects while the store is unavailable. */
  readonly flush: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly onCrossed: (thresholds: readonly CrossedThreshold[]) => void;
};

const ASK_AGAIN_MS = 200;

export class SharedLedger implements BudgetLedger, DrainListener {
  readonly reservationsAreRows = true;
  readonly #parts: SharedLedgerParts;
  readonly #monthAt = createMonthCache();
  readonly #allotments: Allotments;
  readonly #renewal: AllotmentRenewal;
  readonly #batches: ReservationBatches;
  /** By organisation, in the order of arrival: a later request waits behind the earlier ones. */
  readonly #waiting = new Map<string, Set<PendingReservation>>();
  /** Reservations of unanswered statements, until their attempts end. */
  readonly #doubtful = new Map<string, BudgetReservation>();
  #cancelAskAgain: CancelTimer | undefined;

  constructor(parts: SharedLedgerParts) {
    this.#parts = parts;
    this.#allotments = new Allotments(parts.reserveMs, parts.clock.now());
    this.#renewal = new AllotmentRenewal({
      ...parts,
      allotments: this.#allotments,
      onUnavailable: () => this.#serveLocally(),
    });
    this.#batches = new ReservationBatches({
      ...parts,
      isNext: (pending) => this.#isNext(pending),
      onAnswer: (asked, refusals) => this.#answer(asked, refusals),
      onUnanswered: (asked) => this.#doubt(asked),
      onLateAnswer: (asked) => this.#endDoubt(asked),
    });
  }

  reserve(request: ReservationRequest, onDecision: (decision: BudgetDecision) => void): () => void {
    const now = this.#parts.clock.now();
    const month = this.#monthAt(now, request.owner.timeZone);
    const pending = new PendingReservation(request, month, onDecision);
    if (this.#allotments.note(pending.reservation, now) && this.#renewal.isAvailable)
      this.#renewal.renewNow();
    const isBehind = this.#waiting.has(pending.reservation.organizationId);
    if (isBehind || !this.#pay(pending, 'working')) this.#decide(pending);
    return () => this.#withdraw(pending);
  }

  release(attempt: ReservedAttempt): void {
    this.#allotments.release(attempt.id);
    if (!this.#voidDoubtful(attempt.id))
      this.#parts.journal.append({ kind: 'release', id: attempt.id }, () => {});
    this.#flushForWaiting();
  }

  settle(record: UsageRecord): void {
    this.#allotments.settle(record.id, record.costNanos);
    this.#voidDoubtful(record.id);
    this.#flushForWaiting();
  }

  async status(
    owner: BudgetOwner,
    scope: BudgetScopeKind,
    userId?: string,
  ): Promise<BudgetStatus | undefined> {
    const { store, clock, flush } = this.#parts;
    const now = clock.now();
    const month = this.#monthAt(now, owner.timeZone);
    const budget = budgetOf(owner, scope, month.number, userId);
    if (!budget) return undefined;
    // Usage of this server counts as soon as its caller has the answer, not only once the store has it.
    await flush().catch(() => {});
    const { account, limitNanos } = budget;
    return budgetStatus(store, account, await store.standing(account), limitNanos, month, now);
  }

  async close(): Promise<void> {
    this.#cancelAskAgain?.();
    await this.#renewal.close();
  }

  isOpen(id: string): boolean {
    return this.#allotments.isOpen(id);
  }

  stored(records: readonly UsageRecord[], opened: readonly BudgetReservation[]): void {
    this.#allotments.stored(records, opened);
    if (this.#waiting.size > 0) this.#askAgain();
  }

  #decide(pending: PendingReservation): void {
    if (!this.#renewal.isAvailable) {
      if (!this.#pay(pending, 'standby')) pending.decide({ kind: 'unavailable' });
    } else if (this.#waiting.has(pending.reservation.organizationId)) this.#wait(pending);
    else this.#batches.add(pending);
  }

  /** Pays from an allotment; the decision follows when the reservation is in the journal. */
  #pay(pending: PendingReservation, purpose: AllotmentPurpose): boolean {
    const { journal, clock } = this.#parts;
    const { reservation } = pending;
    if (!journal.isWritable() || !this.#allotments.pay(reservation, purpose, clock.now()))
      return false;
    pending.state = 'asking';
    journal.append({ kind: 'reservation', reservation }, () => {
      if (pending.isOver) this.release(reservation);
      else pending.accept();
    });
    return true;
  }

  /** A request that arrived while others began to wait waits behind them. */
  #isNext(pending: PendingReservation): boolean {
    if (pending.isOver) return false;
    if (pending.isOutOfPatience || !this.#waiting.has(pending.reservation.organizationId))
      return true;
    this.#wait(pending);
    return false;
  }

  #answer(asked: readonly PendingReservation[], refusals: readonly ReservationRefusal[]): void {
    const refusalOf = new Map(refusals.map((refusal) => [refusal.id, refusal]));
    for (const pending of asked) {
      const refusal = refusalOf.get(pending.reservation.id);
      if (refusal && !pending.isOver) this.#refuse(pending, refusal);
      else if (!refusal && pending.isOver) this.release(pending.reservation);
      else if (!refusal) pending.accept();
    }
  }

  #refuse(pending: PendingReservation, refusal: ReservationRefusal): void {
    pending.refusal = refusal;
    // The money in this server's allotments may be the money that is missing.
    const isGivenUp = this.#allotments.giveUp(pending.reservation);
    if (isGivenUp) this.#renewal.renewNow();
    if (refusal.answer === 'exceeded' || pending.isOutOfPatience) pending.refuse(refusal);
    else this.#wait(pending);
  }

  /** The store may have reserved under the same ids: the ends of these attempts are stored as voids. */
  #doubt(asked: readonly PendingReservation[]): void {
    this.#renewal.reportUnavailable();
    for (const pending of asked) {
      const { reservation } = pending;
      this.#doubtful.set(reservation.id, reservation);
      if (!pending.isOver) this.#decide(pending);
      if (!this.#allotments.isOpen(reservation.id)) this.release(reservation);
    }
  }

  /** The store has carried out the statement: reservations of requests that were refused meanwhile are released. */
  #endDoubt(asked: readonly PendingReservation[]): void {
    for (const { reservation } of asked) {
      this.#doubtful.delete(reservation.id);
      if (!this.#allotments.isOpen(reservation.id)) this.release(reservation);
    }
  }

  /** False if no unanswered statement asked for it. */
  #voidDoubtful(id: string): boolean {
    if (this.#doubtful.size === 0) return false;
    const reservation = this.#doubtful.get(id);
    if (!reservation) return false;
    this.#doubtful.delete(id);
    this.#parts.journal.append({ kind: 'void', reservation }, () => {});
    return true;
  }

  #wait(pending: PendingReservation): void {
    const { clock } = this.#parts;
    const { organizationId } = pending.reservation;
    const others = this.#waiting.get(organizationId);
    pending.state = 'waiting';
    if (others) others.add(pending);
    else this.#waiting.set(organizationId, new Set([pending]));
    pending.cancelPatience ??= clock.after(pending.patienceMs, () => this.#endPatience(pending));
    this.#cancelAskAgain ??= clock.after(ASK_AGAIN_MS, () => this.#askAgain());
  }

  #endPatience(pending: PendingReservation): void {
    pending.isOutOfPatience = true;
    // A request that is being asked for gets the store's answer.
    if (pending.state !== 'waiting') return;
    this.#leave(pending);
    if (pending.refusal) pending.refuse(pending.refusal);
    // It waited behind others and was never asked for: that is done once.
    else this.#batches.add(pending);
  }

  #askAgain(): void {
    this.#cancelAskAgain?.();
    this.#cancelAskAgain = undefined;
    for (const pending of this.#takeWaiting()) this.#decide(pending);
  }

  #takeWaiting(): readonly PendingReservation[] {
    const taken = [...this.#waiting.values()].flatMap((queue) => [...queue]);
    this.#waiting.clear();
    return taken;
  }

  #leave(pending: PendingReservation): void {
    const { organizationId } = pending.reservation;
    const queue = this.#waiting.get(organizationId);
    queue?.delete(pending);
    if (queue?.size === 0) this.#waiting.delete(organizationId);
  }

  #withdraw(pending: PendingReservation): void {
    if (pending.isOver) return;
    pending.withdraw();
    this.#leave(pending);
  }

  /** A request may wait for the money that an attempt has just set free. */
  #flushForWaiting(): void {
    if (this.#waiting.size > 0 && this.#renewal.isAvailable)
      void this.#parts.flush().catch(() => {});
  }

  /** Requests that wait or are queued are decided at once when the store becomes unavailable. */
  #serveLocally(): void {
    for (const pending of [...this.#takeWaiting(), ...this.#batches.takeQueued()])
      if (!pending.isOver) this.#decide(pending);
  }
}
