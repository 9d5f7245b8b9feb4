// One request's way to an answer, over as many attempts and targets as it takes. Interactive requests and jobs go the
// same way; a job goes through the targets once and leaves the waiting to its queue.
//
//   choosing ─▶ admitting ─▶ holding ─▶ calling ─▶ ended
//      ▲  a target that is limited, full or broken is passed over; a failure before content moves on to the next one
//      └──────────── waiting (the stated delay, or backoff) ◀── no target left, but waiting can help
//
// Every attempt that was sent leaves one usage record, journalled before anybody is told, which settles its hold and
// its permit (settle-attempt). What was taken for an attempt that is not sent is given back. The listener hears of
// exactly one ending. Where limits, budgets and breakers are kept in this process, all of it happens in one turn.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { CancelTimer } from '../../kernel/clock.ts';
import { NO_USAGE, type Usage } from '../../kernel/usage.ts';
import { estimateUsage } from '../../metering/usage/token-estimate.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';
import type { BreakerPass, CallHealth } from '../../resilience/breaker-board.ts';
import type { LimitStanding } from '../../resilience/rate-limiter.ts';
import { healthOf, mayMoveOn } from '../../resilience/retry-elsewhere.ts';
import type { Target } from '../../routing/target.ts';
import { Attempt, type AttemptListener } from '../../upstream/attempt/attempt.ts';
import { closedPass, reportHealth, requestPass } from './breaker-pass.ts';
import { tellFailure, tellRetry } from './call-news.ts';
import type { CallOrder, CallParts } from './call-order.ts';
import { heldBack, limitedUntil, nearWall, outOfTime, unpriced } from './call-refusal.ts';
import { CallRounds, type RoundsEnd } from './call-rounds.ts';
import { AttemptClearance, type ClearanceListener } from './clear-attempt.ts';
import { activeLimit, learnLimit } from './provider-limit.ts';
import { recordFailedAttempt } from './record-failure.ts';
import { type SentAttempt, settleAttempt } from './settle-attempt.ts';

export type ModelCallListener = {
  /** The ending of a unary call that went well. */
  onAnswer(body: Buffer, contentType: string, record: UsageRecord): void;
  /** Whole events of a stream, from its first content on; return false to slow the provider down. */
  onEvents(bytes: Buffer, contentType: string): boolean;
  onComplete(lastBytes: Buffer, contentType: string, record: UsageRecord): void;
  /** `record` is the last attempt's, when one was made. */
  onFailed(error: SpillwayError, record: UsageRecord | undefined): void;
};

const NO_STANDINGS: readonly LimitStanding[] = Object.freeze([]);

export class ModelCall implements AttemptListener, ClearanceListener {
  readonly #parts: CallParts;
  readonly #order: CallOrder;
  readonly #listener: ModelCallListener;
  readonly #rounds: CallRounds;
  #sent: SentAttempt | undefined;
  #attempt: Attempt | undefined;
  #record: UsageRecord | undefined;
  #isCalling = false;
  #hasSlowedDown = false;
  #isReported = false;
  #isBegun = false;
  #isEnded = false;
  #standings = NO_STANDINGS;
  #cancelWait: CancelTimer | undefined;
  /**
   * Kept as it is and not as a function that ends it: the engine takes a function that is assigned to a field for a
   * method and puts it among its old objects, where it would hold on to the whole request long after its end.
   */
  #clearance: AttemptClearance | undefined;

  constructor(parts: CallParts, order: CallOrder, listener: ModelCallListener) {
    this.#parts = parts;
    this.#order = order;
    this.#listener = listener;
    this.#rounds = new CallRounds(order.plan.targets, parts.contextTokens);
  }

  /** How often a provider was really asked. */
  get attempts(): number {
    return this.#sent?.number ?? 0;
  }

  /** How the caller's limits stood when they were asked. */
  get standings(): readonly LimitStanding[] {
    return this.#standings;
  }

  start(): void {
    const isLate = this.#parts.clock.monotonic() >= this.#order.deadlineAtMs;
    if (isLate) return this.#fail(outOfTime());
    this.#choose();
  }

  /** The listener can take more events again. */
  resume(): void {
    this.#attempt?.resume();
  }

  /** Nobody wants the answer any more. The listener is told nothing; `onSettled` when what was used is accounted. */
  abandon(onSettled: (record: UsageRecord | undefined) => void): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#cancelWait?.();
    this.#clearance?.withdraw();
    if (!this.#sent || !this.#attempt || !this.#isCalling) return onSettled(this.#record);
    this.#attempt.abort(new Error('the caller left'));
    this.#report('neutral');
    this.#settle(this.#sent, 'CLIENT_GONE', this.#streamedSoFar(this.#attempt), true, onSettled);
  }

  onAnswer(body: Buffer, contentType: string, reported: Usage | undefined): void {
    const { plan } = this.#order;
    const answerBytes = plan.charge === 'input' ? 0 : body.length;
    const usage = reported ?? this.#estimate(undefined, answerBytes);
    this.#succeed(usage, reported === undefined, (record) =>
      this.#listener.onAnswer(body, contentType, record),
    );
  }

  onEvents(bytes: Buffer, contentType: string): boolean {
    this.#isBegun = true;
    // Others wait for what a probe finds; its first content says it.
    if (this.#sent?.pass.probe !== undefined) this.#report('success');
    return this.#listener.onEvents(bytes, contentType);
  }

  onComplete(lastBytes: Buffer, contentType: string): void {
    const reported = this.#attempt?.streamUsage();
    const bytes = this.#attempt?.streamedBytes() ?? 0;
    const usage = reported ?? this.#estimate(undefined, bytes);
    this.#succeed(usage, reported === undefined, (record) =>
      this.#listener.onComplete(lastBytes, contentType, record),
    );
  }

  onFailed(error: SpillwayError): void {
    const { limits, clock, serverId } = this.#parts;
    const sent = this.#sent;
    if (!sent || !this.#attempt) return;
    learnLimit(limits, sent.target, error, serverId, clock.now());
    recordFailedAttempt(this.#parts, this.#order, sent, error);
    tellFailure(this.#parts.log, this.#order.id, sent.target, error, clock.now());
    // How long a call may take is its caller's to say, and who says little shows nothing of the provider.
    const isOutOfTime = clock.monotonic() >= this.#order.deadlineAtMs;
    this.#report(isOutOfTime ? 'neutral' : healthOf(error));
    const usage = this.#isBegun ? this.#streamedSoFar(this.#attempt) : NO_USAGE;
    this.#settle(sent, error.code, usage, this.#isBegun, () => {
      if (this.#isEnded) return;
      // What has reached the caller cannot be taken back: from here on there is only this attempt.
      if (this.#isBegun) return this.#fail(error);
      this.#rounds.failed(error, sent.target);
      this.#choose();
    });
  }

  #choose(): void {
    for (let target = this.#rounds.current(); target; target = this.#rounds.current()) {
      const reason = this.#whyNot(target);
      if (!reason) return this.#requestPass(target);
      this.#rounds.passOver(reason);
    }
    this.#endRound();
  }

  #whyNot(target: Target): SpillwayError | undefined {
    const { limits, meter, clock } = this.#parts;
    if (!meter.isPriced(target.provider, target.model)) return unpriced(target.model);
    const limit = activeLimit(limits, target);
    return limit ? limitedUntil(limit, clock.now()) : this.#slowDown(target);
  }

  /**
   * Before the wall calls are spread over what is left; each waits for its turn once. Work in the background comes at the
   * pace of the account's own limit already, and where that is used to the full there is never much left.
   */
  #slowDown(target: Target): SpillwayError | undefined {
    if (this.#hasSlowedDown || this.#order.isBackground) return undefined;
    const waitMs = this.#parts.headroom.slowDownMs(target, 0);
    if (waitMs <= 0) return undefined;
    this.#hasSlowedDown = true;
    return nearWall(target.provider, waitMs);
  }

  #requestPass(target: Target): void {
    const { breakers } = this.#parts;
    const pass = closedPass(breakers, target);
    if (pass) return this.#admit(target, pass);
    requestPass(breakers, target, (answer) => {
      if (answer.isAllowed && this.#isEnded) return breakers.report(answer.pass, 'neutral');
      if (this.#isEnded) return;
      if (answer.isAllowed) return this.#admit(target, answer.pass);
      this.#rounds.passOver(heldBack(target.provider, answer));
      this.#choose();
    });
  }

  #admit(target: Target, pass: BreakerPass): void {
    const { isBackground } = this.#order;
    const { maxInteractiveWaitMs } = this.#parts.retryRules;
    const planned = { target, pass, number: this.attempts + 1 };
    const clearance = new AttemptClearance(this.#parts, this.#order, planned, this);
    this.#clearance = clearance;
    clearance.start(isBackground ? 0 : maxInteractiveWaitMs - this.#rounds.waitedMs);
  }

  onStandings(standings: readonly LimitStanding[]): void {
    // Those of the decision that let it pass, or refused it last; further attempts ask the account alone.
    if (this.attempts === 0) this.#standings = standings;
  }

  onRefused(error: SpillwayError): void {
    this.#clearance = undefined;
    // The caller's own limit follows it to every target; an account that is full has neighbours.
    if (mayMoveOn(error) !== 'anywhere') return this.#fail(error);
    this.#rounds.passOver(error);
    this.#choose();
  }

  onCleared(cleared: SentAttempt): void {
    const { attempts, retryBudget, load } = this.#parts;
    const { plan, deadlineAtMs } = this.#order;
    const { target, number } = cleared;
    this.#clearance = undefined;
    this.#sent = cleared;
    this.#isCalling = true;
    this.#isReported = false;
    if (number === 1) retryBudget.deposit(target.provider);
    load?.begun(target);
    this.#attempt = new Attempt(attempts, plan.callTo(target, deadlineAtMs), this);
    this.#attempt.start();
  }

  #succeed(usage: Usage, isEstimated: boolean, tell: (record: UsageRecord) => void): void {
    if (!this.#sent) return;
    this.#isEnded = true;
    this.#report('success');
    // What is free is known to the last token.
    if (this.#order.plan.charge === 'nothing')
      this.#settle(this.#sent, 'OK', NO_USAGE, false, tell);
    else this.#settle(this.#sent, 'OK', usage, isEstimated, tell);
  }

  /** Once for each attempt. */
  #report(health: CallHealth): void {
    if (!this.#sent || this.#isReported) return;
    this.#isReported = true;
    reportHealth(this.#parts.breakers, this.#sent, health);
  }

  #settle(
    sent: SentAttempt,
    status: string,
    usage: Usage,
    isEstimated: boolean,
    then: (record: UsageRecord) => void,
  ): void {
    this.#isCalling = false;
    this.#parts.load?.ended(sent.target);
    const ending = { status, usage, isEstimated };
    this.#record = settleAttempt(this.#parts, this.#order, sent, ending, then);
  }

  #streamedSoFar(attempt: Attempt): Usage {
    return this.#estimate(attempt.streamUsage(), attempt.streamedBytes());
  }

  #estimate(known: Usage | undefined, answerBytes: number): Usage {
    return estimateUsage(this.#order.plan.body.length, answerBytes, known);
  }

  #endRound(): void {
    const { retryRules, retryBudget, clock, log, metrics } = this.#parts;
    const now = clock.now();
    if (this.#order.isBackground) return this.#fail(this.#rounds.standingInTheWay(now));
    const deadlineAt = now + this.#order.deadlineAtMs - clock.monotonic();
    const end = this.#rounds.end(retryRules, { now, deadlineAt, random: clock.random() });
    if (end.kind === 'give_up') return this.#fail(end.error);
    const { retry, error } = end;
    if (!retry) return this.#wait(end);
    retryBudget.take(this.#sent?.target.provider ?? '', (isGranted) => {
      if (this.#isEnded) return;
      if (!isGranted) return this.#fail(this.#rounds.standingInTheWay(now));
      tellRetry(log, this.#order.id, error, retry);
      metrics.retried(error.code);
      this.#wait(end);
    });
  }

  #wait(end: Extract<RoundsEnd, { kind: 'wait' }>): void {
    this.#cancelWait = this.#parts.clock.after(end.waitMs, () => {
      this.#cancelWait = undefined;
      this.#rounds.again(end);
      this.#choose();
    });
  }

  #fail(error: SpillwayError): void {
    this.#isEnded = true;
    this.#listener.onFailed(error, this.#record);
  }
}
