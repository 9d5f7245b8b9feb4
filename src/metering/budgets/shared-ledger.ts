// Budgets that several servers share. The store decides, and reservations are rows in it (ask-together.ts). An ask that others
// reservation the money of waits in line here and is asked again when something of ours is settled, and every so often for what
// others settle. A busy organisation's asks are paid from money taken beforehand, and only journalled (budget-lending.ts).
//
// While the store is away (a statement failed, or none was answered in time) asks are paid from a small reserve and
// journalled; when that is used up they are `unavailable`. When it is back is for the beat to find out (budget-beat.ts).
// A statement that was not answered is in doubt: it may still reach the store, after its asks have been decided here
// and even after their attempts have ended. The ends of these are told as void, and then the store reservations nothing for it.

import { createMonthCache } from '../../kernel/calendar-month.ts';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { DrainListener } from '../usage/drain-usage.ts';
import type { Journal } from '../usage/journal.ts';
import type { JournalEntry } from '../usage/journal-entry.ts';
import type { UsageRecord } from '../usage/usage-record.ts';
import { AskTogether, MAX_ASKED } from './ask-together.ts';
import { BudgetBeat } from './budget-beat.ts';
import type {
  BudgetDecision,
  BudgetLedger,
  BudgetOwner,
  BudgetScopeKind,
  BudgetStatus,
  ReservationRequest,
  ReservedAttempt,
} from './budget-ledger.ts';
import { BudgetLending } from './budget-lending.ts';
import { type BudgetReservation, newReservation } from './budget-reservation.ts';
import { BudgetReserve } from './budget-reserve.ts';
import { type CrossedThreshold, logThreshold } from './budget-threshold.ts';
import { SharedAsking } from './shared-asking.ts';
import type { ReservationRefusal, SharedBudgetStore } from './shared-budget-store.ts';
import { hasBudget, sharedStatus } from './shared-status.ts';
import { WaitingLine } from './waiting-line.ts';

export type SharedLedgerParts = {
  readonly store: SharedBudgetStore;
  readonly serverId: string;
  /** How long what this server set aside for bad times stays its own when nothing is heard of it. */
  readonly reserveMs: number;
  readonly journal: Pick<Journal<JournalEntry>, 'append' | 'isWritable'>;
  /** Told when an entry is in the journal, and not before: the store is then soon given it. */
  readonly onEntry: () => void;
  /** Has the store take in all that the journal reservations; rejects while it is away. */
  readonly flush: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly onThreshold?: ((crossed: CrossedThreshold) => void) | undefined;
};

const LOOK_AGAIN_MS = 200;

export class SharedLedger implements BudgetLedger, DrainListener {
  readonly reservationsAreRows = true;
  readonly #parts: SharedLedgerParts;
  readonly #monthAt = createMonthCache();
  readonly #reserve = new BudgetReserve();
  readonly #waiting = new WaitingLine();
  /** Paid from the reserve, and in doubt. */
  readonly #doubtful = new Map<string, BudgetReservation>();
  readonly #asks: AskTogether;
  readonly #beat: BudgetBeat;
  readonly #lending: BudgetLending;
  #cancelLook: CancelTimer | undefined;

  constructor(parts: SharedLedgerParts) {
    this.#parts = parts;
    this.#asks = new AskTogether({
      ...parts,
      isNext: (asking) => this.#isNext(asking),
      onAnswer: (asked, refusals) => this.#answer(asked, refusals),
      onSilence: (asked) => this.#lose(asked),
      onLateAnswer: (asked) => this.#undo(asked),
    });
    this.#beat = new BudgetBeat({
      ...parts,
      reserve: this.#reserve,
      onAway: () => this.#serveAlone(),
      onCrossed: (thresholds) => this.crossed(thresholds),
    });
    this.#lending = new BudgetLending({
      ...parts,
      reserve: this.#reserve,
      append: (entry, onWritten) => this.#append(entry, onWritten),
      isAway: () => this.#beat.isAway,
    });
  }

  reserve(ask: ReservationRequest, onDecision: (decision: BudgetDecision) => void): () => void {
    const { owner } = ask;
    const month = this.#monthAt(this.#parts.clock.now(), owner.timeZone);
    const reservation = newReservation(ask, month.number);
    const isBehind = this.#waiting.has(reservation.organizationId);
    const withdraw =
      !isBehind && this.#lending.pay(reservation, owner.organizationLimitNanos, onDecision);
    if (withdraw) return withdraw;
    const asking = new SharedAsking(reservation, month, ask.patienceMs, onDecision);
    if (this.#beat.isAway) this.#decideAlone(asking);
    else if (isBehind) this.#wait(asking);
    else this.#ask(asking);
    return () => this.#withdraw(asking);
  }

  release(attempt: ReservedAttempt): void {
    this.#reserve.end(attempt.id, 0);
    this.#lending.release(attempt.id);
    if (!this.#voidDoubtful(attempt.id))
      this.#append({ kind: 'release', id: attempt.id }, () => {});
    this.#hurry();
  }

  settle(record: UsageRecord): void {
    this.#reserve.end(record.id, record.costNanos);
    this.#lending.settle(record);
    this.#voidDoubtful(record.id);
    this.#hurry();
  }

  async status(
    owner: BudgetOwner,
    scope: BudgetScopeKind,
    userId?: string,
  ): Promise<BudgetStatus | undefined> {
    const question = { owner, scope, userId };
    if (!hasBudget(question)) return undefined;
    // What was used here counts from the moment of the answer, not from when the store has it.
    await this.#lending.flush(owner.organizationId).catch(() => {});
    const now = this.#parts.clock.now();
    return sharedStatus(this.#parts.store, question, this.#monthAt(now, owner.timeZone), now);
  }

  async close(): Promise<void> {
    this.#cancelLook?.();
    await this.#lending.close();
    await this.#beat.close();
  }

  isOpen(attemptId: string): boolean {
    return this.#reserve.isOpen(attemptId) || this.#lending.isOpen(attemptId);
  }

  stored(records: readonly UsageRecord[], opened: readonly BudgetReservation[]): void {
    this.#lending.stored(records, opened);
    if (this.#waiting.size > 0) this.#lookAgain();
  }

  crossed(thresholds: readonly CrossedThreshold[]): void {
    for (const threshold of thresholds) {
      logThreshold(this.#parts.log, threshold);
      this.#parts.onThreshold?.(threshold);
    }
  }

  #ask(asking: SharedAsking): void {
    this.#reserve.touch(asking.reservation, this.#parts.clock.now());
    this.#asks.add(asking);
  }

  /** Whoever came while others began to wait stands behind them. */
  #isNext(asking: SharedAsking): boolean {
    if (asking.isOver) return false;
    if (asking.isOutOfPatience || !this.#waiting.has(asking.reservation.organizationId))
      return true;
    this.#wait(asking);
    return false;
  }

  #answer(asked: readonly SharedAsking[], refusals: readonly ReservationRefusal[]): void {
    const byPlace = new Map(refusals.map((refusal) => [refusal.place, refusal]));
    for (const [place, asking] of asked.entries()) {
      const refusal = byPlace.get(place);
      if (refusal && !asking.isOver) this.#refused(asking, refusal);
      else if (!refusal && asking.isOver) this.release(asking.reservation);
      else if (!refusal) asking.reserved();
    }
  }

  #refused(asking: SharedAsking, refusal: ReservationRefusal): void {
    asking.refusal = refusal;
    this.#lending.stop(asking.reservation.organizationId);
    if (refusal.answer === 'exceeded' || asking.isOutOfPatience) return asking.refuse(refusal);
    // What is set aside here may be just what it lacks.
    if (this.#reserve.hasFor(asking.reservation)) this.#beat.beat();
    this.#wait(asking);
  }

  /** The store did not answer, so nobody knows what it reservations: what is paid from the reserve has the same id. */
  #lose(asked: readonly SharedAsking[]): void {
    this.#beat.away();
    for (const asking of asked) {
      const { reservation } = asking;
      this.#doubtful.set(reservation.id, reservation);
      if (asking.isOver) this.release(reservation);
      else if (!this.#decideAlone(asking)) this.#voidDoubtful(reservation.id);
    }
  }

  /** It answered too late: those who were sent away reservation nothing, and of the others there is no more doubt. */
  #undo(asked: readonly SharedAsking[]): void {
    for (const { reservation } of asked) {
      this.#doubtful.delete(reservation.id);
      if (!this.#reserve.isOpen(reservation.id)) this.release(reservation);
    }
  }

  /** What ends here may still be asked for by a statement on its way. False where there is no doubt. */
  #voidDoubtful(id: string): boolean {
    if (this.#doubtful.size === 0) return false;
    const reservation = this.#doubtful.get(id);
    if (!reservation) return false;
    this.#doubtful.delete(id);
    this.#append({ kind: 'void', reservation }, () => {});
    return true;
  }

  /** True when it is paid from the reserve. */
  #decideAlone(asking: SharedAsking): boolean {
    const { journal, clock } = this.#parts;
    const { reservation } = asking;
    if (!journal.isWritable() || !this.#reserve.take(reservation, clock.now())) {
      asking.tell({ kind: 'unavailable' });
      return false;
    }
    asking.state = 'asking';
    this.#append({ kind: 'reservation', reservation }, () => {
      if (asking.isOver) this.release(reservation);
      else asking.reserved();
    });
    return true;
  }

  #wait(asking: SharedAsking): void {
    const { clock } = this.#parts;
    asking.state = 'waiting';
    this.#waiting.add(asking);
    asking.cancelPatience ??= clock.after(asking.patienceMs, () => this.#giveUp(asking));
    this.#cancelLook ??= clock.after(LOOK_AGAIN_MS, () => this.#lookAgain());
  }

  #giveUp(asking: SharedAsking): void {
    asking.isOutOfPatience = true;
    // One that is being asked for hears what the store says.
    if (asking.state !== 'waiting') return;
    this.#waiting.remove(asking);
    if (asking.refusal) return asking.refuse(asking.refusal);
    // It stood behind others and was never asked for: that is done once.
    this.#ask(asking);
  }

  #lookAgain(): void {
    this.#cancelLook?.();
    this.#cancelLook = undefined;
    for (const asking of this.#waiting.takeAll(MAX_ASKED)) {
      if (this.#beat.isAway) this.#decideAlone(asking);
      else this.#ask(asking);
    }
    if (this.#waiting.size > 0)
      this.#cancelLook = this.#parts.clock.after(LOOK_AGAIN_MS, () => this.#lookAgain());
  }

  #withdraw(asking: SharedAsking): void {
    if (asking.isOver) return;
    asking.state = 'withdrawn';
    asking.cancelPatience?.();
    this.#waiting.remove(asking);
  }

  /** Somebody waits for what has just become free. */
  #hurry(): void {
    if (this.#waiting.size > 0 && !this.#beat.isAway) void this.#parts.flush().catch(() => {});
  }

  /** Whoever was about to be asked for hears at once what the reserve can do. */
  #serveAlone(): void {
    const waiting = this.#waiting.takeAll(Number.POSITIVE_INFINITY);
    for (const asking of [...waiting, ...this.#asks.takeQueued()])
      if (!asking.isOver) this.#decideAlone(asking);
  }

  #append(entry: JournalEntry, onWritten: () => void): void {
    const { journal, onEntry } = this.#parts;
    journal.append(entry, () => {
      onEntry();
      onWritten();
    });
  }
}
