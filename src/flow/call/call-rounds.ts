// Which target next, and what when none is left? A round goes through the targets once, in order; each is passed over,
// or called. A target whose failure no repeat can mend is not called again for this request. What stands in the way of
// each is kept: at the end of a round it says whether waiting can help, for how long, and what the caller is told if
// not: what can be tried again at once, else what ends first. Pure.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import { mayMoveOn } from '../../resilience/retry-elsewhere.ts';
import {
  afterRetry,
  decideRetry,
  NOTHING_REPEATED,
  type RetryDecision,
  type RetryHistory,
  type RetryMoment,
  type RetryRules,
  repeatableFailure,
} from '../../resilience/retry-policy.ts';
import type { ContextTokensOf } from '../../routing/context-window.ts';
import type { Target } from '../../routing/target.ts';

type Retry = Extract<RetryDecision, { kind: 'retry' }>;

export type RoundsEnd =
  /** `retry` is set when a call is repeated, absent when only a place is waited for. */
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
  /** The calls of this round, all of which failed. */
  #failures: readonly Obstacle[] = NONE;
  /** The last failure was the request's own: no other target could help. */
  #isHopeless = false;
  /** Why targets were not called in this round. */
  #refusals: readonly Obstacle[] = NONE;

  constructor(targets: readonly Target[], contextTokens: ContextTokensOf) {
    this.#targets = targets;
    this.#contextTokens = contextTokens;
  }

  /** The target to try now; the same one until it is passed over or has failed. */
  current(): Target | undefined {
    const target = this.#targets[this.#at];
    if (!target || this.#mayBeCalled(target)) return target;
    this.#at += 1;
    return this.current();
  }

  get waitedMs(): number {
    return this.#history.waitedMs;
  }

  /** The current target cannot be called now. */
  passOver(error: SpillwayError): void {
    const target = this.#targets[this.#at];
    this.#at += 1;
    if (target) this.#refusals = [...this.#refusals, { target, error }];
  }

  /** The current target was called and failed. */
  failed(error: SpillwayError, target: Target): void {
    this.#failures = [...this.#failures, { target, error }];
    if (repeatableFailure(error) === undefined) (this.#givenUp ??= new Set()).add(target);
    const onwards = mayMoveOn(error);
    if (onwards === 'larger_model') this.#tooSmall = target.model;
    this.#isHopeless = onwards === 'nowhere';
    this.#at = this.#isHopeless ? this.#targets.length : this.#at + 1;
  }

  /** No target is left in this round. */
  end(rules: RetryRules, moment: RetryMoment): RoundsEnd {
    const failure = this.#failure();
    const retry = failure && decideRetry(rules, failure, this.#history, moment);
    if (failure && retry?.kind === 'retry')
      return { kind: 'wait', waitMs: retry.waitMs, retry, error: failure };
    const place = this.#isHopeless ? undefined : soonest(this.#places(), moment.now);
    return (
      (place && this.#waitForPlace(place, rules, moment)) ?? {
        kind: 'give_up',
        error: this.standingInTheWay(moment.now),
      }
    );
  }

  /** What the caller is told when nothing more is tried. */
  standingInTheWay(now: number): SpillwayError {
    const failure = this.#failure();
    const first = soonest([...this.#places(), ...this.#limits()], now);
    const told = failure && (!first || this.#mayBeTriedAgain(failure)) ? failure : first;
    if (!told) throw new Error('a round ends with a reason');
    return told;
  }

  /** The wait is over: another round. */
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

  /** The latest failure that a repeat can mend, else the latest. */
  #failure(): SpillwayError | undefined {
    const last = this.#failures.at(-1);
    if (this.#isHopeless) return last?.error;
    return (this.#failures.findLast(({ target }) => this.#mayBeCalled(target)) ?? last)?.error;
  }

  /** What keeps targets away that could help: one that has turned out too small for the request cannot. */
  #places(): readonly SpillwayError[] {
    return this.#refusals
      .filter((each) => this.#mayBeCalled(each.target))
      .map(({ error }) => error);
  }

  /** The failures that end by themselves. */
  #limits(): readonly SpillwayError[] {
    return this.#failures
      .filter(({ target, error }) => isLimit(error) && this.#isLargeEnough(target))
      .map(({ error }) => error);
  }

  /** The caller's own mistake, or a failure that the next try may not meet; a limit is told by its end. */
  #mayBeTriedAgain(failure: SpillwayError): boolean {
    const kind = repeatableFailure(failure);
    return this.#isHopeless || (kind !== undefined && kind !== 'throttled');
  }

  /** A throttle ends soon and says when; a limit, an open circuit or a full purse is told at once. */
  #waitForPlace(
    error: SpillwayError,
    { maxInteractiveWaitMs }: RetryRules,
    { now, deadlineAt }: RetryMoment,
  ): RoundsEnd | undefined {
    const waitMs = Math.ceil(waitOf(error, now));
    const leftMs = Math.min(maxInteractiveWaitMs - this.#history.waitedMs, deadlineAt - now);
    if (error.code !== 'RATE_LIMITED' || waitMs > leftMs) return undefined;
    return { kind: 'wait', waitMs: Math.max(1, waitMs), error };
  }
}

function isLimit({ code }: SpillwayError): boolean {
  return code === 'RATE_LIMITED' || code === 'AI_LIMIT_REACHED';
}

/** The one that ends first; the first of them where nobody says when. */
function soonest(errors: readonly SpillwayError[], now: number): SpillwayError | undefined {
  return errors.reduce<SpillwayError | undefined>(
    (best, error) => (!best || waitOf(error, now) < waitOf(best, now) ? error : best),
    undefined,
  );
}

function waitOf({ retryAfterMs, resetAt }: SpillwayError, now: number): number {
  return retryAfterMs ?? (resetAt === undefined ? Number.POSITIVE_INFINITY : resetAt - now);
}
