// What one attempt needs before it may be sent: a permit of every limit it concerns, then the money for its worst case.
//
//   taking ─▶ holding ─▶ cleared
//     │          ├─▶ taking again (the money took so long that the permit is stale) ─▶ cleared
//     └──────────┴─▶ refused, or withdrawn: whatever was taken is given back
//
// Where limits and budgets are kept in this process it is cleared or refused before `start` returns.

import type { LimitStanding, PermitAsk } from '../admission/rate-limiter.ts';
import type { SpillwayError } from '../errors/spillway-error.ts';
import type { HoldAsk } from '../metering/budget-ledger.ts';
import { usageRecordId } from '../metering/usage-record.ts';
import type { CallOrder, CallParts } from './call-order.ts';
import { moneySpent, overLimit } from './call-refusal.ts';
import { likelyTokens } from './likely-tokens.ts';
import { worstCaseOf } from './plan-call.ts';
import type { SentAttempt } from './settle-attempt.ts';

export type ClearanceListener = {
  onCleared(attempt: SentAttempt): void;
  onRefused(error: SpillwayError): void;
  /** How the limits stand that were asked, allowed or not. */
  onStandings(standings: readonly LimitStanding[]): void;
};

export type PlannedAttempt = Pick<SentAttempt, 'target' | 'number' | 'pass'>;

/** A permit that waited longer for its money is taken anew: the provider's window has moved on. */
const FRESH_PERMIT_MS = 200;

export class AttemptClearance {
  readonly #parts: CallParts;
  readonly #order: CallOrder;
  readonly #planned: PlannedAttempt;
  readonly #listener: ClearanceListener;
  #withdrawHold: (() => void) | undefined;
  #permit: PermitAsk | undefined;
  #hold: HoldAsk | undefined;
  #budgetMonth: number | undefined;
  #isOver = false;

  constructor(
    parts: CallParts,
    order: CallOrder,
    planned: PlannedAttempt,
    listener: ClearanceListener,
  ) {
    this.#parts = parts;
    this.#order = order;
    this.#planned = planned;
    this.#listener = listener;
  }

  /** `patienceMs` is how long the money may be waited for. */
  start(patienceMs: number): void {
    const { permit } = this.#order;
    if (permit && this.#planned.number === 1) {
      this.#permit = permit;
      return this.#holdMoney(patienceMs);
    }
    this.#take(this.#askForPermit(), () => this.#holdMoney(patienceMs));
  }

  /** Nobody waits for it any more; the listener is told nothing. */
  withdraw(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#withdrawHold?.();
    this.#giveBack();
  }

  #take(ask: PermitAsk, onTaken: () => void): void {
    const { limiter } = this.#parts;
    limiter.take(ask, (decision) => {
      if (this.#isOver) return decision.isAllowed ? limiter.giveBack(ask) : undefined;
      this.#listener.onStandings(decision.standings);
      if (!decision.isAllowed) return this.#refuse(overLimit(decision));
      this.#permit = ask;
      onTaken();
    });
  }

  /** The caller's limits and the account's are one decision; further attempts ask the account alone. */
  #askForPermit(): PermitAsk {
    const { terms, holdMarginMs } = this.#parts;
    const { id, plan, principal, isBackground } = this.#order;
    const { target, number } = this.#planned;
    const { limits, countsTokens } =
      principal && number === 1 ? terms.forRequest(principal, target) : terms.forAccount(target);
    return {
      id: usageRecordId(id, number),
      limits,
      tokens: countsTokens ? likelyTokens(plan, limits) : 0,
      expiresMs: this.#leftMs() + holdMarginMs,
      isBackground,
      // There from the beginning, so that all asks have one shape.
      taken: undefined,
    };
  }

  #holdMoney(patienceMs: number): void {
    const { ledger, clock } = this.#parts;
    const ask = this.#askForMoney(patienceMs);
    const askedAtMs = clock.monotonic();
    this.#withdrawHold = ledger.hold(ask, (decision) => {
      this.#withdrawHold = undefined;
      if (this.#isOver) return;
      if (decision.kind !== 'held') return this.#refuse(moneySpent(decision));
      this.#hold = ask;
      this.#budgetMonth = decision.month;
      if (clock.monotonic() - askedAtMs > FRESH_PERMIT_MS) this.#takeAgain();
      else this.#clear();
    });
  }

  #askForMoney(patienceMs: number): HoldAsk {
    const { meter, clock, holdMarginMs } = this.#parts;
    const { id, plan, payer, budget } = this.#order;
    const { target, number } = this.#planned;
    const { provider, model } = target;
    const leftMs = this.#leftMs();
    return {
      attempt: {
        id: usageRecordId(id, number),
        requestId: id,
        attempt: number,
        organizationId: payer.organizationId,
        keyId: payer.keyId,
        userId: payer.userId,
        category: payer.category,
        provider,
        model,
        streamed: plan.isStream,
      },
      owner: budget,
      worstNanos: meter.worstNanos(provider, worstCaseOf(plan, target, this.#parts.contextTokens)),
      expiresAt: clock.now() + leftMs + holdMarginMs,
      patienceMs: Math.max(0, Math.min(patienceMs, leftMs)),
    };
  }

  #takeAgain(): void {
    const stale = this.#permit;
    if (!stale) return;
    this.#parts.limiter.giveBack(stale);
    this.#permit = undefined;
    this.#take({ ...stale, id: `${stale.id}+` }, () => this.#clear());
  }

  #clear(): void {
    if (!this.#permit) return;
    this.#isOver = true;
    const { target, number, pass } = this.#planned;
    this.#listener.onCleared({
      target,
      number,
      pass,
      sentAtMs: this.#parts.clock.monotonic(),
      permit: this.#permit,
      budgetMonth: this.#budgetMonth,
    });
  }

  #refuse(error: SpillwayError): void {
    this.#isOver = true;
    this.#giveBack();
    this.#listener.onRefused(error);
  }

  #giveBack(): void {
    this.#parts.breakers.report(this.#planned.pass, 'neutral');
    if (this.#permit) this.#parts.limiter.giveBack(this.#permit);
    if (this.#hold) this.#parts.ledger.release(this.#hold.attempt);
  }

  /** Whole, as every moment is that is written down: the monotonic clock counts in fractions. */
  #leftMs(): number {
    return Math.ceil(this.#order.deadlineAtMs - this.#parts.clock.monotonic());
  }
}
