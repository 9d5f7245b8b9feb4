// Obtains everything an attempt needs before it is sent: a permit of every limit that applies, then a reservation of its
// worst-case cost.
//
//   permit ─▶ reservation ─▶ cleared
//     │            ├─▶ reservation again, for fewer uses of the provider's tools (the money does not cover all)
//     │            ├─▶ permit again (it became stale meanwhile) ─▶ cleared
//     └────────────┴─▶ refused, or withdrawn: the permit and the reservation are returned
//
// With limits and budgets in this process the attempt is cleared or refused before `start` returns.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { BudgetDecision, ReservationRequest } from '../../metering/budgets/budget-ledger.ts';
import { usageRecordId } from '../../metering/usage/usage-record.ts';
import type { LimitStanding, PermitAsk } from '../../resilience/rate-limiter.ts';
import type { CallOrder, CallParts } from './call-order.ts';
import { budgetRefusal, overLimit } from './call-refusal.ts';
import type { SentAttempt } from './charge/settle-attempt.ts';
import { worstCaseOf } from './charge/worst-case-of.ts';
import { likelyTokens } from './likely-tokens.ts';
import { MAX_TOOL_USES } from './tools/tool-rounds.ts';

export type ClearanceListener = {
  onCleared(attempt: SentAttempt): void;
  onRefused(error: SpillwayError): void;
  /** The standings of the limits in a decision, allowed or not. */
  onStandings(standings: readonly LimitStanding[]): void;
};

export type PlannedAttempt = Pick<SentAttempt, 'target' | 'number' | 'pass'>;

export type ClearanceParts = Pick<
  CallParts,
  'terms' | 'holdMarginMs' | 'limiter' | 'contextTokens' | 'clock'
> & {
  readonly breakers: Pick<CallParts['breakers'], 'report'>;
  readonly ledger: Pick<CallParts['ledger'], 'reserve' | 'release'>;
  readonly meter: Pick<CallParts['meter'], 'worstNanos'>;
};

export type ClearanceOrder = Omit<
  CallOrder,
  'recordedUnder' | 'startedAtMs' | 'ownDeadlineAtMs' | 'endsAtMs'
>;

/** As many as models make within one response when they research. */
const MANY_TOOL_USES = 10 * MAX_TOOL_USES;
/** More uses than MAX_TOOL_USES are reserved within this part of the smallest budget: twenty such calls fit side by side. */
const MANY_USES_PART = 1 / 20;

type Refusal = Exclude<BudgetDecision, { kind: 'reserved' }>;
type HeldPermit = Pick<NonNullable<CallOrder['permit']>, 'ask' | 'askedAtMs'>;

/**
 * A permit counts from when it was asked for, and the provider counts the call when it arrives: a later call would fall
 * into the provider's next window. A permit that is older than this when its call could go is renewed, once; the guard at
 * the end of a window covers the rest.
 */
const MAX_PERMIT_AGE_MS = 100;

export class AttemptClearance {
  readonly #parts: ClearanceParts;
  readonly #order: ClearanceOrder;
  readonly #planned: PlannedAttempt;
  readonly #listener: ClearanceListener;
  /** Of the attempt; one string, because its first use as a key makes later uses cheap. */
  readonly #id: string;
  #withdrawReservation: (() => void) | undefined;
  #permit: HeldPermit | undefined;
  #isRenewed = false;
  #reservation: ReservationRequest | undefined;
  #budgetMonth: number | undefined;
  /** The uses of the provider's tools that are reserved and sent; undefined where the request stays as it is. */
  #maxToolCalls: number | undefined;
  #isOver = false;

  constructor(
    parts: ClearanceParts,
    order: ClearanceOrder,
    planned: PlannedAttempt,
    listener: ClearanceListener,
  ) {
    this.#parts = parts;
    this.#order = order;
    this.#planned = planned;
    this.#listener = listener;
    this.#id = usageRecordId(order.id, planned.number);
    // OpenAI documents no number of uses at which it stops a model: the request is sent with the bound that is reserved.
    if (order.plan.operation === 'responses' && this.#canLimitTools())
      this.#maxToolCalls = this.#preferredToolCalls();
  }

  /** `patienceMs` bounds the wait for the reservation. */
  start(patienceMs: number): void {
    const { permit } = this.#order;
    const { target, number } = this.#planned;
    if (permit && number === 1) {
      if (permit.account === target.account) {
        this.#permit = permit;
        return this.#reserveMoney(patienceMs);
      }
      // Another account serves the call after all, and its limit counts the attempt. A permit is given back once.
      this.#parts.limiter.giveBack(permit.ask);
    }
    const nowMs = this.#parts.clock.monotonic();
    this.#take(this.#askForPermit(nowMs), nowMs, () => this.#reserveMoney(patienceMs));
  }

  /** Gives up and returns what was taken; calls no listener method. */
  withdraw(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#withdrawReservation?.();
    this.#giveBack();
  }

  #take(ask: PermitAsk, askedAtMs: number, onTaken: () => void): void {
    const { limiter } = this.#parts;
    limiter.take(ask, (decision) => {
      if (this.#isOver) return decision.isAllowed ? limiter.giveBack(ask) : undefined;
      this.#listener.onStandings(decision.standings);
      if (!decision.isAllowed) return this.#refuse(overLimit(decision));
      this.#permit = { ask, askedAtMs };
      onTaken();
    });
  }

  /** The first attempt is one decision of the caller's and the account's limits; later ones count for the account only. */
  #askForPermit(nowMs: number): PermitAsk {
    const { terms, holdMarginMs } = this.#parts;
    const { plan, principal, isBackground, leasedUntilMs } = this.#order;
    const { target, number } = this.#planned;
    const { limits, countsTokens } =
      principal && number === 1 ? terms.forRequest(principal, target) : terms.forAccount(target);
    return {
      id: this.#id,
      limits,
      tokens: countsTokens ? likelyTokens(plan, limits) : 0,
      expiresMs: leftUntil(leasedUntilMs, nowMs) + holdMarginMs,
      isBackground,
      // Present from the start, so that all requests share one hidden class.
      taken: undefined,
    };
  }

  /** Only the uses that the call needs most are worth a wait for other reservations to end. */
  #reserveMoney(patienceMs: number): void {
    const askedAtMs = this.#parts.clock.monotonic();
    const ask = this.#askForMoney(this.#hasManyToolCalls() ? 0 : patienceMs);
    this.#withdrawReservation = this.#parts.ledger.reserve(ask, (decision) => {
      this.#withdrawReservation = undefined;
      if (this.#isOver) return;
      if (decision.kind !== 'reserved' && this.#takeFewerToolCalls(decision))
        return this.#reserveMoney(patienceMs - (this.#parts.clock.monotonic() - askedAtMs));
      if (decision.kind !== 'reserved')
        return this.#refuse(budgetRefusal(decision, ask.worstNanos));
      this.#reservation = ask;
      this.#budgetMonth = decision.month;
      this.#clear();
    });
  }

  /** Bounds the uses of the tools, which is better than refusing the call. False if the money does not cover a single use. */
  #takeFewerToolCalls(refusal: Refusal): boolean {
    if (this.#hasManyToolCalls()) {
      this.#maxToolCalls = MAX_TOOL_USES;
      return true;
    }
    if (refusal.kind !== 'exceeded' || !this.#canLimitTools()) return false;
    const before = this.#maxToolCalls ?? MAX_TOOL_USES;
    // Unspent money that is missing now has been reserved by other calls.
    const most = before < MAX_TOOL_USES ? Math.floor(before / 2) : MAX_TOOL_USES - 1;
    const calls = this.#toolCallsFor(refusal.limitNanos - refusal.spentNanos, most);
    if (calls < 1) return false;
    this.#maxToolCalls = calls;
    return true;
  }

  #hasManyToolCalls(): boolean {
    return this.#maxToolCalls !== undefined && this.#maxToolCalls > MAX_TOOL_USES;
  }

  #canLimitTools(): boolean {
    const { plan } = this.#order;
    return plan.canLimitTools && !plan.translation?.isNeededAt(this.#planned.target);
  }

  #preferredToolCalls(): number {
    const { organizationLimitNanos, keyLimitNanos, userLimitNanos } = this.#order.budget;
    const limits = [organizationLimitNanos, keyLimitNanos, userLimitNanos];
    const least = Math.min(...limits.filter((limit) => limit !== undefined));
    return Math.max(MAX_TOOL_USES, this.#toolCallsFor(least * MANY_USES_PART, MANY_TOOL_USES));
  }

  /** The largest number of uses, up to `most`, that the money covers. */
  #toolCallsFor(nanos: number, most: number): number {
    let [covered, tooMany] = [0, most + 1];
    while (tooMany - covered > 1) {
      const calls = Math.floor((covered + tooMany) / 2);
      if (this.#worstNanos(calls) > nanos) tooMany = calls;
      else covered = calls;
    }
    return covered;
  }

  #worstNanos(maxToolCalls: number | undefined): number {
    const { meter, contextTokens } = this.#parts;
    const { target } = this.#planned;
    const request = worstCaseOf(this.#order.plan, target, contextTokens, maxToolCalls);
    return meter.worstNanos(target.provider, request);
  }

  #askForMoney(patienceMs: number): ReservationRequest {
    const { clock, holdMarginMs } = this.#parts;
    const { id, plan, payer, budget, leasedUntilMs, deadlineAtMs } = this.#order;
    const { target, number } = this.#planned;
    const { provider, model } = target;
    const nowMs = clock.monotonic();
    return {
      attempt: {
        id: this.#id,
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
      worstNanos: this.#worstNanos(this.#maxToolCalls),
      expiresAt: clock.now() + leftUntil(leasedUntilMs, nowMs) + holdMarginMs,
      patienceMs: Math.max(0, Math.min(patienceMs, leftUntil(deadlineAtMs, nowMs))),
    };
  }

  #renew({ ask }: HeldPermit): void {
    this.#isRenewed = true;
    this.#permit = undefined;
    this.#parts.limiter.giveBack(ask);
    const nowMs = this.#parts.clock.monotonic();
    this.#take({ ...ask, id: `${ask.id}+` }, nowMs, () => this.#clear());
  }

  #clear(): void {
    const permit = this.#permit;
    if (!permit) return;
    const sentAtMs = this.#parts.clock.monotonic();
    const isStale = sentAtMs - permit.askedAtMs > MAX_PERMIT_AGE_MS;
    if (isStale && !this.#isRenewed) return this.#renew(permit);
    this.#isOver = true;
    const { target, number, pass } = this.#planned;
    this.#listener.onCleared({
      id: this.#id,
      target,
      number,
      pass,
      sentAtMs,
      permit: permit.ask,
      budgetMonth: this.#budgetMonth,
      reservedNanos: this.#reservation?.worstNanos ?? 0,
      maxToolCalls: this.#maxToolCalls,
    });
  }

  #refuse(error: SpillwayError): void {
    this.#isOver = true;
    this.#giveBack();
    this.#listener.onRefused(error);
  }

  #giveBack(): void {
    this.#parts.breakers.report(this.#planned.pass, 'neutral');
    if (this.#permit) this.#parts.limiter.giveBack(this.#permit.ask);
    if (this.#reservation) this.#parts.ledger.release(this.#reservation.attempt);
  }
}

/** Whole milliseconds, as stores require: the monotonic clock has fractions. */
function leftUntil(atMs: number, nowMs: number): number {
  return Math.ceil(atMs - nowMs);
}
