// Budgets that several servers share. A request is paid from a working allotment of this server if its organisation has
// one (allotments.ts), and otherwise reserved by the store, in one statement with other requests. A request waits here
// while other attempts have reserved the money; it is sent to the store again when an attempt of this server ends, and
// periodically because of other servers' attempts.
//
// While the store is unavailable, requests are paid from standby allotments; when these are used up, they are `unavailable`.
// A statement that was not answered may still reserve after its requests were decided here and their attempts have ended.
// The end of such an attempt is stored as a void, which makes the late statement reserve nothing.

import { Batches } from '../../kernel/batches/batches.ts';
import { createMonthCache } from '../../kernel/calendar/calendar-month.ts';
import type { CancelTimer } from '../../kernel/clock.ts';
import type { DrainListener } from '../usage/drain-usage.ts';
import type { UsageRecord } from '../usage/usage-record.ts';
import { AllotmentRenewal, type SharedBudgetParts } from './allotment-renewal.ts';
import type { Allotments } from './allotments.ts';
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
import { PendingReservation } from './pending-reservation.ts';
import type { AllotmentPurpose, ReservationRefusal } from './shared-budget-store.ts';

/** A statement that takes longer counts as unanswered: it may still be carried out. */
const MAX_ANSWER_MS = 2000;
const MAX_BATCH = 500;
const ASK_AGAIN_MS = 200;

export class SharedLedger implements BudgetLedger, DrainListener {
  readonly reservationsAreRows = true;
  readonly #parts: SharedBudgetParts;
  readonly #monthAt = createMonthCache();
  readonly #renewal: AllotmentRenewal;
  readonly #allotments: Allotments;
  readonly #toAsk: Batches<PendingReservation>;
  /** By organisation, in the order of arrival: a later request waits behind the earlier ones. Emptied at every new ask. */
  readonly #waiting = new Map<string, PendingReservation[]>();
  /** Reservations of unanswered statements, until their attempts end. */
  readonly #doubtful = new Map<string, BudgetReservation>();
  #cancelAskAgain: CancelTimer | undefined;

  constructor(parts: SharedBudgetParts) {
    this.#parts = parts;
    this.#renewal = new AllotmentRenewal(parts, () => this.#serveLocally());
    this.#allotments = this.#renewal.allotments;
    this.#toAsk = new Batches(parts.clock, MAX_BATCH, (batch) => this.#ask(batch));
  }

  reserve(request: ReservationRequest, onDecision: (decision: BudgetDecision) => void): () => void {
    const now = this.#parts.clock.now();
    const month = this.#monthAt(now, request.owner.timeZone);
    const pending = new PendingReservation(request, month, onDecision);
    if (this.#allotments.note(pending.reservation, now) && this.#renewal.isAvailable)
      this.#renewal.renewNow();
    const isBehind = this.#waiting.has(pending.reservation.organizationId);
    if (isBehind || !this.#pay(pending, 'working')) this.#decide(pending);
    return () => pending.withdraw();
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
    return budgetStatus(store, budget, await store.standing(budget.account), month, now);
  }

  async close(): Promise<void> {
    this.#cancelAskAgain?.();
    await this.#renewal.close();
  }

  isOpen(attemptId: string): boolean {
    return this.#allotments.isOpen(attemptId);
  }

  hasAllotment(id: string): boolean {
    return this.#allotments.has(id);
  }

  stored(records: readonly UsageRecord[], opened: readonly BudgetReservation[]): void {
    this.#allotments.stored(records, opened);
    if (this.#waiting.size > 0) this.#askAgain();
  }

  #decide(pending: PendingReservation): void {
    if (pending.state === 'over') return;
    pending.state = 'asking';
    if (this.#renewal.isAvailable) this.#toAsk.add(pending);
    else if (!this.#pay(pending, 'standby')) pending.end({ kind: 'unavailable' });
  }

  /** Pays from an allotment; the decision follows when the reservation is in the journal. */
  #pay(pending: PendingReservation, purpose: AllotmentPurpose): boolean {
    const { journal, clock } = this.#parts;
    const { reservation } = pending;
    if (!journal.isWritable() || !this.#allotments.pay(reservation, purpose, clock.now()))
      return false;
    journal.append({ kind: 'reservation', reservation }, () => this.#accept(pending));
    return true;
  }

  /** The money is reserved; a request that was withdrawn meanwhile gives it back. */
  #accept(pending: PendingReservation): void {
    if (pending.state === 'over') this.release(pending.reservation);
    else pending.accept();
  }

  async #ask(queued: readonly PendingReservation[]): Promise<void> {
    const { store, clock } = this.#parts;
    const asked = queued.filter((pending) => this.#isNext(pending));
    if (asked.length === 0) return;
    const reservations = asked.map(({ reservation }) => reservation);
    const late = Promise.withResolvers<undefined>();
    const cancelLate = clock.after(MAX_ANSWER_MS, () => late.resolve(undefined));
    const answer = store.reserveAll(reservations, clock.now()).catch(() => undefined);
    const refusals = await Promise.race([answer, late.promise]);
    cancelLate();
    if (refusals) return this.#answer(asked, refusals);
    this.#doubt(asked);
    // After a late answer the effect is known: the statement has been carried out.
    void answer.then((lateRefusals) => {
      if (lateRefusals) for (const { id } of reservations) this.#doubtful.delete(id);
    });
  }

  /** A request that arrived while others began to wait waits behind them. */
  #isNext(pending: PendingReservation): boolean {
    if (pending.state === 'over') return false;
    if (pending.isOutOfPatience || !this.#waiting.has(pending.reservation.organizationId))
      return true;
    this.#wait(pending);
    return false;
  }

  #answer(asked: readonly PendingReservation[], refusals: readonly ReservationRefusal[]): void {
    if (refusals.length === 0) {
      for (const pending of asked) this.#accept(pending);
      return;
    }
    const refusalOf = new Map(refusals.map((refusal) => [refusal.id, refusal]));
    for (const pending of asked) {
      const refusal = refusalOf.get(pending.reservation.id);
      if (!refusal) this.#accept(pending);
      else if (pending.state !== 'over') this.#refuse(pending, refusal);
    }
  }

  #refuse(pending: PendingReservation, refusal: ReservationRefusal): void {
    // The money in this server's allotments may be the money that is missing.
    if (this.#allotments.giveUp(pending.reservation)) this.#renewal.renewNow();
    if (refusal.answer === 'exceeded' || pending.isOutOfPatience) pending.refuse(refusal);
    else this.#wait(pending);
  }

  /** The store may have reserved under the same ids: the ends of these attempts are stored as voids. */
  #doubt(asked: readonly PendingReservation[]): void {
    this.#renewal.reportUnavailable();
    for (const pending of asked) {
      const { reservation } = pending;
      this.#doubtful.set(reservation.id, reservation);
      this.#decide(pending);
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
    const queue = this.#waiting.get(organizationId);
    if (queue) queue.push(pending);
    else this.#waiting.set(organizationId, [pending]);
    pending.state = 'waiting';
    pending.cancelPatience ??= clock.after(pending.patienceMs, () => this.#endPatience(pending));
    this.#cancelAskAgain ??= clock.after(ASK_AGAIN_MS, () => this.#askAgain());
  }

  /** The request is sent once more, ahead of waiting requests: it may have been behind others all the time. */
  #endPatience(pending: PendingReservation): void {
    pending.isOutOfPatience = true;
    this.#decideWaiting(pending);
  }

  #askAgain(): void {
    this.#cancelAskAgain?.();
    this.#cancelAskAgain = undefined;
    const queues = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const pending of queues.flat()) this.#decideWaiting(pending);
  }

  /** A request that was withdrawn, or is being asked for at the end of its patience, does not wait. */
  #decideWaiting(pending: PendingReservation): void {
    if (pending.state === 'waiting') this.#decide(pending);
  }

  /** A request may be waiting for the money that an attempt has just released. */
  #flushForWaiting(): void {
    if (this.#waiting.size > 0 && this.#renewal.isAvailable)
      void this.#parts.flush().catch(() => {});
  }

  /** Requests that wait or are queued are decided at once when the store becomes unavailable. */
  #serveLocally(): void {
    this.#askAgain();
    for (const pending of this.#toAsk.takeQueued()) this.#decide(pending);
  }
}
