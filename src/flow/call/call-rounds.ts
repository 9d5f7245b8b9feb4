// Selects the next target of a call, and decides what follows when none is left. A round visits the targets once, in
// order; each is skipped or called. A target that failed with an error no retry can fix is not called again for this
// request. At the end of a round the recorded errors decide whether a wait can help, for how long, and which error the
// caller gets otherwise: an error that can be retried immediately, else the limit that ends first. Pure.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import { fallbackAfter } from '../../resilience/retry-elsewhere.ts';
import {
  afterRetry,
  decideRetry,
  maxWaitMsOf,
  NOTHING_REPEATED,
  type RetryContext,
  type RetryDecision,
  type RetryHistory,
  type RetryRules,
  repeatableFailure,
  retriesOf,
} from '../../resilience/retry-policy.ts';
import type { ContextTokensOf } from '../../routing/context-window.ts';
import type { Target } from '../../routing/target.ts';

type Retry = Extract<RetryDecision, { kind: 'retry' }>;

export type RoundsEnd =
  /** `retry` is set when a failed call is repeated, absent when the call only waits for a limit. */
  | {
      readonly kind: 'wait';
      readonly waitMs: number;
      readonly retry?: Retry;
      readonly error: SpillwayError;
    }
  | { readonly kind: 'give_up'; readonly error: SpillwayError };

type Obstacle = { readonly target: Target; readonly error: SpillwayError };

const NONE: readonly never[] = Object.freeze([]);

export class CallRounds {
  readonly #targets: readonly Target[];
  readonly #contextTokens: ContextTokensOf;
  #at = 0;
  #tooSmall: string | undefined;
  #givenUp: Set<Target> | undefined;
  #history: RetryHistory = NOTHING_REPEATED;
  /** The failed calls of this round. */
  #failures: readonly Obstacle[] = NONE;
  /** Set if the last failure was the fault of the request: no other target can serve it. */
  #isHopeless = false;
  /** The targets skipped in this round, and why. */
  #refusals: readonly Obstacle[] = NONE;

  constructor(targets: readonly Target[], contextTokens: ContextTokensOf) {
    this.#targets = targets;
    this.#contextTokens = contextTokens;
  }

  /** The target to try; unchanged until it is skipped or has failed. */
  current(): Target | undefined {
    const target = this.#targets[this.#at];
    if (!target || this.#mayBeCalled(target)) return target;
    this.#at += 1;
    return this.current();
  }

  /** Whether a target follows the current one in this round. */
  get hasAnother(): boolean {
    return this.#targets.some((target, at) => at > this.#at && this.#mayBeCalled(target));
  }

  /** The retries of this request so far. */
  get retries(): number {
    return retriesOf(this.#history);
  }

  get waitedMs(): number {
    return this.#history.waitedMs;
  }

  /** The current target cannot be called now. */
  skip(error: SpillwayError): void {
    const target = this.#targets[this.#at];
    this.#at += 1;
    if (target) this.#refusals = [...this.#refusals, { target, error }];
  }

  /** The current target was called and failed. */
  failed(error: SpillwayError, target: Target): void {
    this.#failures = [...this.#failures, { target, error }];
    if (repeatableFailure(error) === undefined) (this.#givenUp ??= new Set()).add(target);
    const onwards = fallbackAfter(error);
    if (onwards === 'larger_model') this.#tooSmall = target.model;
    this.#isHopeless = onwards === 'nowhere';
    this.#at = this.#isHopeless ? this.#targets.length : this.#at + 1;
  }

  /** No target is left in this round. */
  end(rules: RetryRules, moment: RetryContext): RoundsEnd {
    const failure = this.#failure();
    const retry = failure && decideRetry(rules, failure, this.#history, moment);
    if (failure && retry?.kind === 'retry')
      return { kind: 'wait', waitMs: retry.waitMs, retry, error: failure };
    const refusal = this.#isHopeless ? undefined : soonest(this.#relevantRefusals(), moment.now);
    return (
      (refusal && this.#waitForLimit(refusal, rules, moment)) ?? {
        kind: 'give_up',
        error: this.finalError(moment.now),
      }
    );
  }

  /** The error that the caller gets when no further attempt is made. */
  finalError(now: number): SpillwayError {
    const failure = this.#failure();
    const first = soonest([...this.#relevantRefusals(), ...this.#limits()], now);
    const error = failure && (!first || this.#mayBeTriedAgain(failure)) ? failure : first;
    if (!error) throw new Error('a round ended without an error');
    return error;
  }

  /** The wait is over: starts another round. */
  again(ended: Extract<RoundsEnd, { kind: 'wait' }>): void {
    const { retry, waitMs } = ended;
    this.#history = retry
      ? afterRetry(this.#history, retry)
      : { ...this.#history, waitedMs: this.#history.waitedMs + waitMs };
    this.#at = 0;
    this.#failures = NONE;
    this.#refusals = NONE;
  }

  #mayBeCalled(target: Target): boolean {
    return this.#givenUp?.has(target) !== true && this.#isLargeEnough(target);
  }

  #isLargeEnough({ model }: Target): boolean {
    const tooSmall = this.#tooSmall;
    return tooSmall === undefined || this.#contextTokens(model) > this.#contextTokens(tooSmall);
  }

  /** The latest failure that a retry can fix, else the latest. */
  #failure(): SpillwayError | undefined {
    const last = this.#failures.at(-1);
    if (this.#isHopeless) return last?.error;
    return (this.#failures.findLast(({ target }) => this.#mayBeCalled(target)) ?? last)?.error;
  }

  /** The refusals of targets that could serve the request: a context window that is too small could not. */
  #relevantRefusals(): readonly SpillwayError[] {
    return this.#refusals
      .filter((each) => this.#mayBeCalled(each.target))
      .map(({ error }) => error);
  }

  /** Failures caused by a limit, which ends at its reset. */
  #limits(): readonly SpillwayError[] {
    return this.#failures
      .filter(({ target, error }) => isLimit(error) && this.#isLargeEnough(target))
      .map(({ error }) => error);
  }

  /** The caller's own mistake, or a failure that may not recur; a limit is reported by its reset time instead. */
  #mayBeTriedAgain(failure: SpillwayError): boolean {
    const kind = repeatableFailure(failure);
    return this.#isHopeless || (kind !== undefined && kind !== 'throttled');
  }

  /** Only a throttle is waited for; a usage limit, an open circuit or a spent budget is answered at once. */
  #waitForLimit(
    error: SpillwayError,
    rules: RetryRules,
    moment: RetryContext,
  ): RoundsEnd | undefined {
    const { now, deadlineAt, maxRetries } = moment;
    const waitMs = Math.ceil(waitOf(error, now));
    const leftToWaitMs = maxWaitMsOf(rules, moment) - this.#history.waitedMs;
    const leftMs = Math.min(leftToWaitMs, deadlineAt - now);
    if (error.code !== 'RATE_LIMITED' || waitMs > leftMs) return undefined;
    // A caller with its own retries also waits by itself.
    if (maxRetries === 0 && error.params.scope === 'provider') return undefined;
    return { kind: 'wait', waitMs: Math.max(1, waitMs), error };
  }
}

function isLimit({ code }: SpillwayError): boolean {
  return code === 'RATE_LIMITED' || code === 'AI_LIMIT_REACHED';
}

/** The error with the shortest wait; the first one when none states a wait. */
function soonest(errors: readonly SpillwayError[], now: number): SpillwayError | undefined {
  return errors.reduce<SpillwayError | undefined>(
    (best, error) => (!best || waitOf(error, now) < waitOf(best, now) ? error : best),
    undefined,
  );
}

function waitOf({ retryAfterMs, resetAt }: SpillwayError, now: number): number {
  return retryAfterMs ?? (resetAt === undefined ? Number.POSITIVE_INFINITY : resetAt - now);
}
