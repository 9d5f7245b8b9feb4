// Serves one request over any number of attempts and targets; the states are those of call-state.ts. Interactive requests and
// jobs take the same path; a job tries each target once. Every attempt that was sent leaves one usage record, which is journalled
// before the listener gets its one outcome (settle-attempt). With all stores in the process, the steps up to the call take one turn.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { MeteredUsage } from '../../kernel/usage.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';
import type { BreakerPass, CallHealth } from '../../resilience/breaker-board.ts';
import type { LimitStanding } from '../../resilience/rate-limiter.ts';
import { fallbackAfter, healthOf } from '../../resilience/retry-elsewhere.ts';
import type { RetryBounds } from '../../resilience/retry-policy.ts';
import type { Target } from '../../routing/target.ts';
import { Attempt } from '../../upstream/attempt/attempt.ts';
import type { AttemptListener } from '../../upstream/attempt/attempt-call.ts';
import { reportFirstContent, reportSent } from '../telemetry/report-attempt.ts';
import { closedPass, reportHealth, reportRunning, requestPass } from './breaker-pass.ts';
import { isLate, isOwnDeadlineOver, retryMoment } from './call-deadlines.ts';
import type { CallOrder, CallParts } from './call-order.ts';
import { circuitRefusal, deadlinePassed } from './call-refusal.ts';
import { CallRounds, type RoundsEnd } from './call-rounds.ts';
import { type Calling, type CallState, CHOOSING, ENDED, SETTLING } from './call-state.ts';
import { chargeAnswer, chargeFailed, chargeLeft } from './charge/charge-attempt.ts';
import { type ChargedUsage, type SentAttempt, settleAttempt } from './charge/settle-attempt.ts';
import { UnservedAttempts } from './charge/unserved-attempts.ts';
import { AttemptClearance, type ClearanceListener } from './clear-attempt.ts';
import { logRetry } from './log-call.ts';
import type { ModelCallListener } from './model-call-listener.ts';
import { recordFailedAttempt } from './record-failure.ts';
import { withCallersModel } from './request-refusal.ts';
import { refuseTarget, slowDown } from './target-refusal.ts';

type OnSettled = (record: UsageRecord) => void;

const NO_STANDINGS: readonly LimitStanding[] = Object.freeze([]);

export class ModelCall implements AttemptListener, ClearanceListener {
  readonly #parts: CallParts;
  readonly #order: CallOrder;
  readonly #listener: ModelCallListener;
  readonly #rounds: CallRounds;
  #state: CallState = CHOOSING;
  #lastSent: SentAttempt | undefined;
  #lastRecord: UsageRecord | undefined;
  #unserved: UnservedAttempts | undefined;
  #hasSlowedDown = false;
  #retryBounds: RetryBounds | undefined;
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

  get target(): Target | undefined {
    return this.#lastSent?.target;
  }

  get retries(): number {
    return this.#rounds.retries;
  }

  /** The caller's limits at the decision on the first attempt. */
  get standings(): readonly LimitStanding[] {
    return this.#standings;
  }

  start(): void {
    if (isLate(this.#parts, this.#order)) return this.#fail(deadlinePassed());
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
    this.#parts.credentials.release(this.#order.id);
    this.#unserved?.charge(() => undefined);
    if (state.kind === 'waiting') state.cancel();
    if (state.kind === 'clearing') state.clearance.withdraw();
    if (state.kind !== 'calling') return onSettled(this.#lastRecord);
    this.#report(state, 'neutral');
    this.#leave(state, new Error('the caller left'), 'CLIENT_GONE', onSettled);
  }

  onAnswer(body: Buffer, contentType: string, reported: MeteredUsage | undefined): void {
    const charged = chargeAnswer(this.#order.plan, reported, body.length, this.target);
    this.#succeed(charged, (record) => this.#listener.onAnswer(body, contentType, record));
  }

  onEvents(bytes: Buffer, contentType: string): boolean {
    const state = this.#state;
    if (state.kind === 'calling') {
      if (!state.hasContent) reportFirstContent(this.#parts, this.#order, state.sent);
      state.hasContent = true;
      this.#unserved?.waive();
      // Other calls wait for the outcome of a probe; its first content is a success.
      if (state.sent.pass.probe !== undefined) this.#report(state, 'success');
    }
    return this.#listener.onEvents(bytes, contentType);
  }

  onComplete(lastBytes: Buffer, contentType: string): void {
    if (this.#state.kind !== 'calling') return;
    const { attempt, sent, hasContent } = this.#state;
    if (!hasContent) reportFirstContent(this.#parts, this.#order, sent);
    const usage = attempt.reportedUsage();
    const charged = chargeAnswer(this.#order.plan, usage, attempt.streamedBytes(), sent.target);
    this.#succeed(charged, (record) => this.#listener.onComplete(lastBytes, contentType, record));
  }

  onRunning(): void {
    const { sent } = this.#state.kind === 'calling' ? this.#state : {};
    if (sent) reportRunning(this.#parts.breakers, sent.target, this.#order.payer.organizationId);
  }

  onFailed(error: SpillwayError): void {
    const state = this.#state;
    if (state.kind !== 'calling') return;
    const { sent, hasContent } = state;
    recordFailedAttempt(this.#parts, this.#order, sent, error);
    const isOutOfTime = isOwnDeadlineOver(this.#parts, this.#order);
    this.#report(state, isOutOfTime ? 'neutral' : healthOf(error));
    this.#state = SETTLING;
    const mayGoOn = this.#rounds.hasAnother && !isLate(this.#parts, this.#order);
    const isLast = hasContent || isOutOfTime || (error.params.phase === 'total' && !mayGoOn);
    if (isLast && error.isTimedOut) return this.#expire(state, error);
    const charged = chargeFailed(this.#order.plan, state.attempt, sent, error, hasContent);
    if (charged.isEstimated && !hasContent) {
      this.#unserved ??= new UnservedAttempts(this.#parts, this.#order);
      this.#lastRecord = this.#unserved.add(sent, { ...charged, status: error.code });
      return this.#goOn(error, sent.target);
    }
    this.#settle(sent, error.code, charged, () => {
      if (this.#state === ENDED) return;
      if (hasContent) return this.#fail(error);
      this.#goOn(error, sent.target);
    });
  }

  #goOn(error: SpillwayError, failed: Target): void {
    this.#rounds.failed(error, failed);
    this.#choose();
  }

  /** A clock ended the call: the caller is answered now, the usage of a stream may follow. */
  #expire(calling: Calling, error: SpillwayError): void {
    this.#listener.onExpired?.(error);
    this.#leave(calling, error, error.code, () => {
      if (this.#state !== ENDED) this.#fail(error);
    });
  }

  #leave(calling: Calling, reason: Error, status: string, onSettled: OnSettled): void {
    const { attempt, sent } = calling;
    attempt.leave(reason, (outcome) => {
      const charged = chargeLeft(this.#order.plan, attempt, sent, outcome);
      this.#settle(sent, status, charged, onSettled);
    });
  }

  #choose(): void {
    this.#state = CHOOSING;
    for (let target = this.#rounds.current(); target; target = this.#rounds.current()) {
      const refusal = refuseTarget(this.#parts, this.#order, target) ?? this.#slowDown(target);
      if (!refusal) return this.#requestPass(target);
      this.#rounds.skip(refusal);
    }
    this.#endRound();
  }

  /** A call waits for headroom at most once. */
  #slowDown(target: Target): SpillwayError | undefined {
    const refusal = this.#hasSlowedDown ? undefined : slowDown(this.#parts, this.#order, target);
    this.#hasSlowedDown ||= refusal !== undefined;
    return refusal;
  }

  #requestPass(target: Target): void {
    const { breakers } = this.#parts;
    const { organizationId } = this.#order.payer;
    const pass = closedPass(breakers, target, organizationId);
    if (pass) return this.#admit(target, pass);
    const isEnded = () => this.#state === ENDED;
    requestPass(breakers, target, organizationId, isEnded, (answer) => {
      if (answer.isAllowed) return this.#admit(target, answer.pass);
      this.#rounds.skip(circuitRefusal(target.provider, answer));
      this.#choose();
    });
  }

  #admit(target: Target, pass: BreakerPass): void {
    const { isBackground } = this.#order;
    const { maxInteractiveWaitMs } = this.#parts.retryRules;
    const attempt = { target, pass, number: this.attempts + 1 };
    const clearance = new AttemptClearance(this.#parts, this.#order, attempt, this);
    this.#state = { kind: 'clearing', clearance };
    const isPatient = !isBackground && this.#unserved === undefined;
    clearance.start(isPatient ? maxInteractiveWaitMs - this.#rounds.waitedMs : 0);
  }

  onStandings(standings: readonly LimitStanding[]): void {
    // Only the first attempt counts against the caller's limits; later ones ask the account alone.
    if (this.attempts === 0) this.#standings = standings;
  }

  onRefused(error: SpillwayError): void {
    // The reservation of an attempt that served nothing must not refuse the attempt that would.
    if (error.code === 'BUDGET_EXCEEDED' && this.#unserved?.waive()) return this.#choose();
    // The caller's own limit applies to every target; a full account does not.
    if (fallbackAfter(error) !== 'anywhere') return this.#fail(error);
    this.#rounds.skip(error);
    this.#choose();
  }

  onCleared(sent: SentAttempt): void {
    const { attempts, retryBudget, load } = this.#parts;
    const { plan, payer, endsAtMs } = this.#order;
    const { target, number } = sent;
    if (number === 1) retryBudget.deposit(target.provider, payer.organizationId);
    reportSent(this.#parts, this.#order, sent, this.#lastSent?.target);
    load?.begun(target);
    const attempt = new Attempt(attempts, plan.callTo(target, endsAtMs, sent.maxToolCalls), this);
    this.#lastSent = sent;
    this.#state = { kind: 'calling', sent, attempt, hasContent: false, isHealthReported: false };
    attempt.start();
  }

  #succeed(charged: ChargedUsage, notify: (record: UsageRecord) => void): void {
    const state = this.#state;
    if (state.kind !== 'calling') return;
    this.#state = ENDED;
    this.#unserved?.waive();
    this.#report(state, 'success');
    this.#parts.credentials.accepted(state.sent.target, this.#order.payer.organizationId);
    this.#settle(state.sent, 'OK', charged, notify);
  }

  /** Reports once per attempt. */
  #report(calling: Calling, health: CallHealth): void {
    if (calling.isHealthReported) return;
    calling.isHealthReported = true;
    reportHealth(this.#parts.breakers, calling.sent, this.#order.payer.organizationId, health);
  }

  #settle(sent: SentAttempt, status: string, charged: ChargedUsage, onSettled: OnSettled): void {
    this.#parts.load?.ended(sent.target);
    const outcome = { ...charged, status };
    this.#lastRecord = settleAttempt(this.#parts, this.#order, sent, outcome, onSettled);
  }

  #endRound(): void {
    const { retryRules, retryBudget, callerRetries, log, metrics } = this.#parts;
    const { caller, isBackground, payer } = this.#order;
    if (caller) this.#retryBounds ??= callerRetries.boundsOf(caller);
    const moment = retryMoment(this.#parts, this.#order, this.#retryBounds);
    if (isBackground) return this.#fail(this.#rounds.finalError(moment.now));
    const end = this.#rounds.end(retryRules, moment);
    if (end.kind === 'give_up') return this.#fail(end.error);
    const { retry, error } = end;
    if (!retry) return this.#wait(end);
    retryBudget.take(this.#lastSent?.target.provider ?? '', payer.organizationId, (isGranted) => {
      if (this.#state === ENDED) return;
      if (!isGranted) return this.#fail(this.#rounds.finalError(moment.now));
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
    const { id, caller, plan } = this.#order;
    this.#parts.credentials.release(id);
    if (caller && error.retryable) this.#parts.callerRetries.failed(caller, this.retries);
    const notify = () => this.#listener.onFailed(withCallersModel(error, plan), this.#lastRecord);
    if (this.#unserved) this.#unserved.charge(notify);
    else notify();
  }
}
