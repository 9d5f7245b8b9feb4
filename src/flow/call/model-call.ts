// Serves one request over any number of attempts and targets; the states are those of call-state.ts. Interactive requests
// and jobs take the same path; a job tries each target once and leaves waiting to its queue. Every attempt that was
// sent leaves one usage record, which is journalled before the listener is called and settles the reservation and the
// permit (settle-attempt). The clearance returns what it took for an attempt that is not sent. The listener gets exactly
// one outcome. With limits, budgets and breakers in the process, all steps up to the call run in one turn of the event
// loop.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import { NO_USAGE, type Usage } from '../../kernel/usage.ts';
import { estimateUsage } from '../../metering/usage/token-estimate.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';
import type { BreakerPass, CallHealth } from '../../resilience/breaker-board.ts';
import type { LimitStanding } from '../../resilience/rate-limiter.ts';
import { fallbackAfter, healthOf } from '../../resilience/retry-elsewhere.ts';
import type { Target } from '../../routing/target.ts';
import { Attempt, type AttemptListener } from '../../upstream/attempt/attempt.ts';
import { closedPass, reportHealth, requestPass } from './breaker-pass.ts';
import type { CallOrder, CallParts } from './call-order.ts';
import { circuitRefusal, deadlinePassed, limitedUntil, lowHeadroom } from './call-refusal.ts';
import { CallRounds, type RoundsEnd } from './call-rounds.ts';
import { type Calling, type CallState, CHOOSING, ENDED, SETTLING } from './call-state.ts';
import { AttemptClearance, type ClearanceListener } from './clear-attempt.ts';
import { logFailedAttempt, logRetry } from './log-call.ts';
import { activeLimit, learnLimit } from './provider-limit.ts';
import { recordFailedAttempt } from './record-failure.ts';
import { unpricedModel } from './request-refusal.ts';
import { type SentAttempt, settleAttempt } from './settle-attempt.ts';

export type ModelCallListener = {
  /** A unary call succeeded. */
  onAnswer(body: Buffer, contentType: string, record: UsageRecord): void;
  /** Whole events of a stream, from its first content on; return false to pause the provider. */
  onEvents(bytes: Buffer, contentType: string): boolean;
  onComplete(lastBytes: Buffer, contentType: string, record: UsageRecord): void;
  /** `record` is that of the last attempt; undefined when none was sent. */
  onFailed(error: SpillwayError, record: UsageRecord | undefined): void;
};

const NO_STANDINGS: readonly LimitStanding[] = Object.freeze([]);

export class ModelCall implements AttemptListener, ClearanceListener {
  readonly #parts: CallParts;
  readonly #order: CallOrder;
  readonly #listener: ModelCallListener;
  readonly #rounds: CallRounds;
  /**
   * The clearance is stored as an object, not as a function that withdraws it: V8 treats a function in a field as a
   * constant method and promotes it to the old generation, where it would retain the whole request after its end.
   */
  #state: CallState = CHOOSING;
  #lastSent: SentAttempt | undefined;
  #lastRecord: UsageRecord | undefined;
  #hasSlowedDown = false;
  #standings = NO_STANDINGS;

  constructor(parts: CallParts, order: CallOrder, listener: ModelCallListener) {
    this.#parts = parts;
    this.#order = order;
    this.#listener = listener;
    this.#rounds = new CallRounds(order.plan.targets, parts.contextTokens);
  }

  /** The number of attempts sent to a provider. */
  get attempts(): number {
    return this.#lastSent?.number ?? 0;
  }

  /** The caller's limits at the decision on the first attempt. */
  get standings(): readonly LimitStanding[] {
    return this.#standings;
  }

  start(): void {
    const isLate = this.#parts.clock.monotonic() >= this.#order.deadlineAtMs;
    if (isLate) return this.#fail(deadlinePassed());
    this.#choose();
  }

  /** The listener accepts events again. */
  resume(): void {
    if (this.#state.kind === 'calling') this.#state.attempt.resume();
  }

  /** The caller left. Calls no listener method, and `onSettled` once the usage is journalled. */
  abandon(onSettled: (record: UsageRecord | undefined) => void): void {
    const state = this.#state;
    if (state.kind === 'ended') return;
    this.#state = ENDED;
    if (state.kind === 'waiting') state.cancel();
    if (state.kind === 'clearing') state.clearance.withdraw();
    if (state.kind !== 'calling') return onSettled(this.#lastRecord);
    state.attempt.abort(new Error('the caller left'));
    this.#report(state, 'neutral');
    this.#settle(state.sent, 'CLIENT_GONE', this.#streamedSoFar(state), true, onSettled);
  }

  onAnswer(body: Buffer, contentType: string, reported: Usage | undefined): void {
    const answerBytes = this.#order.plan.charge === 'input' ? 0 : body.length;
    const usage = reported ?? this.#estimate(undefined, answerBytes);
    this.#succeed(usage, reported === undefined, (record) =>
      this.#listener.onAnswer(body, contentType, record),
    );
  }

  onEvents(bytes: Buffer, contentType: string): boolean {
    const state = this.#state;
    if (state.kind === 'calling') {
      state.hasContent = true;
      // Other calls wait for the outcome of a probe; its first content is a success.
      if (state.sent.pass.probe !== undefined) this.#report(state, 'success');
    }
    return this.#listener.onEvents(bytes, contentType);
  }

  onComplete(lastBytes: Buffer, contentType: string): void {
    if (this.#state.kind !== 'calling') return;
    const { attempt } = this.#state;
    const reported = attempt.streamUsage();
    const usage = reported ?? this.#estimate(undefined, attempt.streamedBytes());
    this.#succeed(usage, reported === undefined, (record) =>
      this.#listener.onComplete(lastBytes, contentType, record),
    );
  }

  onFailed(error: SpillwayError): void {
    const { limits, clock, serverId, log } = this.#parts;
    const state = this.#state;
    if (state.kind !== 'calling') return;
    const { sent, hasContent } = state;
    learnLimit(limits, sent.target, error, serverId, clock.now());
    recordFailedAttempt(this.#parts, this.#order, sent, error);
    logFailedAttempt(log, this.#order.id, sent.target, error, clock.now());
    // The caller sets the deadline, so a missed one shows nothing about the provider.
    const isOutOfTime = clock.monotonic() >= this.#order.deadlineAtMs;
    this.#report(state, isOutOfTime ? 'neutral' : healthOf(error));
    const usage = hasContent ? this.#streamedSoFar(state) : NO_USAGE;
    this.#state = SETTLING;
    this.#settle(sent, error.code, usage, hasContent, () => {
      if (this.#isEnded()) return;
      if (hasContent) return this.#fail(error);
      this.#rounds.failed(error, sent.target);
      this.#choose();
    });
  }

  #choose(): void {
    this.#state = CHOOSING;
    for (let target = this.#rounds.current(); target; target = this.#rounds.current()) {
      const refusal = this.#refusalOf(target);
      if (!refusal) return this.#requestPass(target);
      this.#rounds.skip(refusal);
    }
    this.#endRound();
  }

  #refusalOf(target: Target): SpillwayError | undefined {
    const { limits, meter, clock } = this.#parts;
    if (!meter.isPriced(target.provider, target.model)) return unpricedModel(target.model);
    const limit = activeLimit(limits, target);
    return limit ? limitedUntil(limit, clock.now()) : this.#slowDown(target);
  }

  /**
   * Close to a provider's limit interactive calls are spread over the remaining headroom; each waits at most once. Jobs
   * already run at the pace of the account's limit, where headroom is always low.
   */
  #slowDown(target: Target): SpillwayError | undefined {
    if (this.#hasSlowedDown || this.#order.isBackground) return undefined;
    const waitMs = this.#parts.headroom.slowDownMs(target, 0);
    if (waitMs <= 0) return undefined;
    this.#hasSlowedDown = true;
    return lowHeadroom(target.provider, waitMs);
  }

  #requestPass(target: Target): void {
    const { breakers } = this.#parts;
    const pass = closedPass(breakers, target);
    if (pass) return this.#admit(target, pass);
    requestPass(breakers, target, (answer) => {
      if (this.#isEnded()) {
        if (answer.isAllowed) breakers.report(answer.pass, 'neutral');
        return;
      }
      if (answer.isAllowed) return this.#admit(target, answer.pass);
      this.#rounds.skip(circuitRefusal(target.provider, answer));
      this.#choose();
    });
  }

  #admit(target: Target, pass: BreakerPass): void {
    const { isBackground } = this.#order;
    const { maxInteractiveWaitMs } = this.#parts.retryRules;
    const planned = { target, pass, number: this.attempts + 1 };
    const clearance = new AttemptClearance(this.#parts, this.#order, planned, this);
    this.#state = { kind: 'clearing', clearance };
    clearance.start(isBackground ? 0 : maxInteractiveWaitMs - this.#rounds.waitedMs);
  }

  onStandings(standings: readonly LimitStanding[]): void {
    // Only the first attempt counts against the caller's limits; later ones ask the account alone.
    if (this.attempts === 0) this.#standings = standings;
  }

  onRefused(error: SpillwayError): void {
    // The caller's own limit applies to every target; a full account does not.
    if (fallbackAfter(error) !== 'anywhere') return this.#fail(error);
    this.#rounds.skip(error);
    this.#choose();
  }

  onCleared(sent: SentAttempt): void {
    const { attempts, retryBudget, load } = this.#parts;
    const { plan, deadlineAtMs } = this.#order;
    const { target, number } = sent;
    if (number === 1) retryBudget.deposit(target.provider);
    load?.begun(target);
    const attempt = new Attempt(attempts, plan.callTo(target, deadlineAtMs), this);
    this.#lastSent = sent;
    this.#state = { kind: 'calling', sent, attempt, hasContent: false, isHealthReported: false };
    attempt.start();
  }

  #succeed(usage: Usage, isEstimated: boolean, notify: (record: UsageRecord) => void): void {
    const state = this.#state;
    if (state.kind !== 'calling') return;
    this.#state = ENDED;
    this.#report(state, 'success');
    const isFree = this.#order.plan.charge === 'nothing';
    this.#settle(state.sent, 'OK', isFree ? NO_USAGE : usage, isEstimated && !isFree, notify);
  }

  /** Reports once per attempt. */
  #report(calling: Calling, health: CallHealth): void {
    if (calling.isHealthReported) return;
    calling.isHealthReported = true;
    reportHealth(this.#parts.breakers, calling.sent, health);
  }

  #settle(
    sent: SentAttempt,
    status: string,
    usage: Usage,
    isEstimated: boolean,
    onSettled: (record: UsageRecord) => void,
  ): void {
    this.#parts.load?.ended(sent.target);
    const outcome = { status, usage, isEstimated };
    this.#lastRecord = settleAttempt(this.#parts, this.#order, sent, outcome, onSettled);
  }

  #streamedSoFar({ attempt }: Calling): Usage {
    return this.#estimate(attempt.streamUsage(), attempt.streamedBytes());
  }

  #estimate(known: Usage | undefined, answerBytes: number): Usage {
    return estimateUsage(this.#order.plan.body.length, answerBytes, known);
  }

  #endRound(): void {
    const { retryRules, retryBudget, clock, log, metrics } = this.#parts;
    const now = clock.now();
    if (this.#order.isBackground) return this.#fail(this.#rounds.finalError(now));
    const deadlineAt = now + this.#order.deadlineAtMs - clock.monotonic();
    const end = this.#rounds.end(retryRules, { now, deadlineAt, random: clock.random() });
    if (end.kind === 'give_up') return this.#fail(end.error);
    const { retry, error } = end;
    if (!retry) return this.#wait(end);
    retryBudget.take(this.#lastSent?.target.provider ?? '', (isGranted) => {
      if (this.#isEnded()) return;
      if (!isGranted) return this.#fail(this.#rounds.finalError(now));
      logRetry(log, this.#order.id, error, retry);
      metrics.retried(error.code);
      this.#wait(end);
    });
  }

  #wait(end: Extract<RoundsEnd, { kind: 'wait' }>): void {
    const cancel = this.#parts.clock.after(end.waitMs, () => {
      this.#rounds.again(end);
      this.#choose();
    });
    this.#state = { kind: 'waiting', cancel };
  }

  #fail(error: SpillwayError): void {
    this.#state = ENDED;
    this.#listener.onFailed(error, this.#lastRecord);
  }

  #isEnded(): boolean {
    return this.#state.kind === 'ended';
  }
}
