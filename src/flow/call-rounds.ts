// Which target next, and what when none is left? A round goes through the targets once, in order; each is passed over,
// or called. What stands in the way of each is kept: at the end of a round it says whether waiting can help, for how
// long, and what the caller is told if not. Pure.

import type { SpillwayError } from '../errors/spillway-error.ts';
import { mayMoveOn } from '../resilience/retry-elsewhere.ts';
import {
  afterRetry,
  decideRetry,
  NOTHING_REPEATED,
  type RetryDecision,
  type RetryHistory,
  type RetryMoment,
  type RetryRules,
} from '../resilience/retry-policy.ts';
import type { ContextTokensOf } from '../routing/context-window.ts';
import type { Target } from '../routing/target.ts';

type Retry = Extract<RetryDecision, { kind: 'retry' }>;

export type RoundsEnd =
  /** `retry` is set when a call is repeated, absent when only a place is waited for. */
  | { readonly kind: 'wait'; readonly waitMs: number; readonly retry?: Retry }
  | { readonly kind: 'give_up'; readonly error: SpillwayError };

export class CallRounds {
  readonly #targets: readonly Target[];
  readonly #contextTokens: ContextTokensOf;
  #at = 0;
  #tooSmall: string | undefined;
  #history: RetryHistory = NOTHING_REPEATED;
  /** The latest failure of a call in this round. */
  #failure: SpillwayError | undefined;
  /** Of those that were not called, the refusal that ends first. */
  #refusal: SpillwayError | undefined;

  constructor(targets: readonly Target[], contextTokens: ContextTokensOf) {
    this.#targets = targets;
    this.#contextTokens = contextTokens;
  }

  /** The target to try now; the same one until it is passed over or has failed. */
  current(): Target | undefined {
    const target = this.#targets[this.#at];
    if (!target || this.#tooSmall === undefined || this.#isLarger(target)) return target;
    this.#at += 1;
    return this.current();
  }

  get waitedMs(): number {
    return this.#history.waitedMs;
  }

  /** The current target cannot be called now. */
  passOver(error: SpillwayError): void {
    this.#at += 1;
    if (!this.#refusal || waitOf(error) < waitOf(this.#refusal)) this.#refusal = error;
  }

  /** The current target was called and failed. */
  failed(error: SpillwayError, target: Target): void {
    this.#failure = error;
    const onwards = mayMoveOn(error);
    if (onwards === 'larger_model') this.#tooSmall = target.model;
    this.#at = onwards === 'nowhere' ? this.#targets.length : this.#at + 1;
  }

  /** No target is left in this round. */
  end(rules: RetryRules, moment: RetryMoment): RoundsEnd {
    if (this.#failure) {
      const retry = decideRetry(rules, this.#failure, this.#history, moment);
      return retry.kind === 'retry'
        ? { kind: 'wait', waitMs: retry.waitMs, retry }
        : { kind: 'give_up', error: this.#failure };
    }
    return this.#waitForPlace(rules, moment);
  }

  /** What the caller of a single round is told. */
  standingInTheWay(): SpillwayError | undefined {
    return this.#failure ?? this.#refusal;
  }

  /** The wait is over: another round. */
  again(ended: Extract<RoundsEnd, { kind: 'wait' }>): void {
    const { retry, waitMs } = ended;
    this.#history = retry
      ? afterRetry(this.#history, retry)
      : { ...this.#history, waitedMs: this.#history.waitedMs + waitMs };
    this.#at = 0;
    this.#failure = undefined;
    this.#refusal = undefined;
  }

  #isLarger({ model }: Target): boolean {
    return this.#contextTokens(model) > this.#contextTokens(this.#tooSmall ?? model);
  }

  /** A throttle ends soon and says when; a limit, an open circuit or a full purse is told at once. */
  #waitForPlace({ maxInteractiveWaitMs }: RetryRules, moment: RetryMoment): RoundsEnd {
    const error = this.#refusal;
    if (!error) throw new Error('a round ends with a reason');
    const waitMs = Math.ceil(waitOf(error));
    const leftMs = Math.min(
      maxInteractiveWaitMs - this.#history.waitedMs,
      moment.deadlineAt - moment.now,
    );
    return error.code === 'RATE_LIMITED' && waitMs <= leftMs
      ? { kind: 'wait', waitMs: Math.max(1, waitMs) }
      : { kind: 'give_up', error };
  }
}

/** Delays are shorter than moments are late, so that of both kinds together the sooner one still comes first. */
function waitOf({ retryAfterMs, resetAt }: SpillwayError): number {
  return retryAfterMs ?? resetAt ?? Number.POSITIVE_INFINITY;
}
