// Decides whether and when a failed call is retried on the same target. Pure: the caller passes counts, time and randomness.
// The rules set the number of retries for each kind of failure; the bounds (the caller's deadline, the sum of delays) take
// precedence, and the retry budget (retry-budget.ts) decides last.

import type { SpillwayError } from '../errors/spillway-error.ts';
import { exponentialMs, statedMs } from './backoff.ts';

/** The failures that a retry can repair; no other failure is retried. */
export type RepeatableFailure = 'throttled' | 'overloaded' | 'error' | 'network' | 'timeout';

/** The number of retries for each kind of failure, and their delays. */
export type RetryRules = {
  readonly throttledRetries: number;
  readonly overloadedRetries: number;
  readonly errorRetries: number;
  readonly networkRetries: number;
  /**
   * Retries after a clock of Spillway ended a call that was sent: the provider has done the work and charges for it.
   */
  readonly timeoutRetries: number;
  readonly baseMs: number;
  readonly overloadedBaseMs: number;
  readonly maxMs: number;
  readonly jitter: number;
  /** The bound on the sum of all delays of one request. */
  readonly maxInteractiveWaitMs: number;
};

/** The rules of `retry` without options. */
export const RETRY_DEFAULTS: RetryRules = Object.freeze({
  throttledRetries: 5,
  overloadedRetries: 3,
  errorRetries: 3,
  networkRetries: 3,
  timeoutRetries: 0,
  baseMs: 1000,
  overloadedBaseMs: 2000,
  maxMs: 60_000,
  jitter: 0.25,
  maxInteractiveWaitMs: 10_000,
});

/** The retries of one request so far, over all targets. */
export type RetryHistory = {
  readonly repeats: Readonly<Record<RepeatableFailure, number>>;
  readonly waitedMs: number;
};

export const NOTHING_REPEATED: RetryHistory = Object.freeze({
  repeats: Object.freeze({ throttled: 0, overloaded: 0, error: 0, network: 0, timeout: 0 }),
  waitedMs: 0,
});

/** Bounds for one caller, within the rules. A client with retries of its own needs few, short retries. */
export type RetryBounds = {
  /** The maximum number of retries of one request, over all kinds of failures. */
  readonly maxRetries?: number;
  /** The bound on the sum of all delays of one request. */
  readonly maxWaitMs?: number;
  /** The longest first delay of the backoff. */
  readonly maxBaseMs?: number;
};

export type RetryContext = RetryBounds & {
  /** Epoch milliseconds, like the deadline. */
  readonly now: number;
  readonly deadlineAt: number;
  /** In [0, 1). */
  readonly random: number;
  /** The kind of a failure, for callers with further repairable failures; by default `repeatableFailure`. */
  readonly kindOf?: (error: SpillwayError) => RepeatableFailure | undefined;
};

export type RetryDecision =
  | {
      readonly kind: 'retry';
      readonly waitMs: number;
      readonly failure: RepeatableFailure;
      /** The number of this retry and the maximum for its kind, for the log. */
      readonly number: number;
      readonly most: number;
    }
  | {
      readonly kind: 'give_up';
      readonly why: 'not_repeatable' | 'used_up' | 'deadline' | 'waited_enough';
    };

export function decideRetry(
  rules: RetryRules,
  error: SpillwayError,
  history: RetryHistory,
  moment: RetryContext,
): RetryDecision {
  const failure = (moment.kindOf ?? repeatableFailure)(error);
  if (failure === undefined) return { kind: 'give_up', why: 'not_repeatable' };
  const most = rules[ROWS[failure].retries];
  const before = history.repeats[failure];
  const isUsedUp = before >= most || retriesOf(history) >= (moment.maxRetries ?? Infinity);
  if (isUsedUp) return { kind: 'give_up', why: 'used_up' };
  const wait = waitFor(rules, failure, before, error, moment);
  const leftToDeadlineMs = moment.deadlineAt - moment.now;
  const leftToWaitMs = maxWaitMsOf(rules, moment) - history.waitedMs;
  // A call that starts at the deadline has no time left.
  if (wait.leastMs >= leftToDeadlineMs) return { kind: 'give_up', why: 'deadline' };
  if (wait.leastMs > leftToWaitMs) return { kind: 'give_up', why: 'waited_enough' };
  // A bound may cut the jitter, but not the stated delay.
  const waitMs = Math.max(wait.leastMs, Math.min(wait.ms, leftToWaitMs, leftToDeadlineMs - 1));
  return { kind: 'retry', waitMs, failure, number: before + 1, most };
}

/** The bound on the sum of all delays of one request of this caller. */
export function maxWaitMsOf(
  { maxInteractiveWaitMs }: RetryRules,
  { maxWaitMs = Number.POSITIVE_INFINITY }: RetryBounds,
): number {
  return Math.min(maxInteractiveWaitMs, maxWaitMs);
}

/** The number of retries so far, over all kinds of failures. */
export function retriesOf({ repeats }: RetryHistory): number {
  return Object.values(repeats).reduce((sum, count) => sum + count, 0);
}

/** The history with this retry added. */
export function afterRetry(
  { repeats, waitedMs }: RetryHistory,
  { failure, waitMs }: { readonly failure: RepeatableFailure; readonly waitMs: number },
): RetryHistory {
  return {
    repeats: { ...repeats, [failure]: repeats[failure] + 1 },
    waitedMs: waitedMs + waitMs,
  };
}

export function repeatableFailure(error: SpillwayError): RepeatableFailure | undefined {
  if (!error.retryable) return undefined;
  const { code, params } = error;
  if (code === 'NETWORK_TIMEOUT') return error.isTimedOut ? 'timeout' : 'network';
  if (code === 'PROVIDER_UNAVAILABLE') return UNAVAILABLE[params.reason ?? 'error'];
  if (code !== 'RATE_LIMITED') return undefined;
  // Any other scope belongs to Spillway's own limits, not to the provider.
  return (params.scope ?? 'provider') === 'provider' ? 'throttled' : undefined;
}

const UNAVAILABLE = {
  overloaded: 'overloaded',
  error: 'error',
  circuit_open: undefined,
  credit: undefined,
} as const;

const ROWS = {
  throttled: { retries: 'throttledRetries', base: 'baseMs' },
  overloaded: { retries: 'overloadedRetries', base: 'overloadedBaseMs' },
  error: { retries: 'errorRetries', base: 'baseMs' },
  network: { retries: 'networkRetries', base: 'baseMs' },
  timeout: { retries: 'timeoutRetries', base: 'baseMs' },
} as const satisfies Record<RepeatableFailure, object>;

type WaitRange = { readonly leastMs: number; readonly ms: number };

function waitFor(
  rules: RetryRules,
  failure: RepeatableFailure,
  before: number,
  error: SpillwayError,
  { now, random, maxBaseMs = Number.POSITIVE_INFINITY }: RetryContext,
): WaitRange {
  const { jitter, maxMs } = rules;
  const baseMs = Math.min(rules[ROWS[failure].base], maxBaseMs);
  const ownMs = exponentialMs({ baseMs, maxMs, jitter }, before, random);
  const askedMs = Math.max(error.retryAfterMs ?? 0, (error.resetAt ?? now) - now);
  // A stated delay of zero counts as none.
  if (askedMs <= 0) return { leastMs: ownMs, ms: ownMs };
  const patientMs = statedMs(askedMs, jitter, random);
  // A throttle states its own end; an overload gets the longer of the stated delay and the backoff.
  if (failure === 'throttled') return { leastMs: Math.ceil(askedMs), ms: patientMs };
  return { leastMs: Math.ceil(askedMs), ms: Math.max(ownMs, patientMs) };
}
