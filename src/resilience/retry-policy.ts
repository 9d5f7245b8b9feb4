// May a failed call be made again on the same target, and after how long? Pure: counts, time and randomness are handed
// in, nothing waits here. The table says how often each kind of failure is repeated; the bounds (the caller's deadline,
// the sum of waits) win over the table, and the retry budget (retry-budget.ts) is asked after both.

import type { SpillwayError } from '../errors/spillway-error.ts';
import { exponentialMs, statedMs } from './backoff.ts';

/** The failures that repeating can mend. Everything else is not repeated. */
export type RepeatableFailure = 'throttled' | 'overloaded' | 'error' | 'network';

export type RetryRules = {
  readonly throttledRetries: number;
  readonly overloadedRetries: number;
  readonly errorRetries: number;
  readonly networkRetries: number;
  readonly baseMs: number;
  readonly overloadedBaseMs: number;
  readonly maxMs: number;
  readonly jitter: number;
  /** The most that all waits of one request may last together. */
  readonly maxInteractiveWaitMs: number;
};

export const RETRY_DEFAULTS: RetryRules = Object.freeze({
  throttledRetries: 5,
  overloadedRetries: 3,
  errorRetries: 3,
  networkRetries: 3,
  baseMs: 1000,
  overloadedBaseMs: 2000,
  maxMs: 60_000,
  jitter: 0.25,
  maxInteractiveWaitMs: 10_000,
});

/** What one request has behind it; counts are per request, whichever target failed. */
export type RetryHistory = {
  readonly repeats: Readonly<Record<RepeatableFailure, number>>;
  readonly waitedMs: number;
};

export const NOTHING_REPEATED: RetryHistory = Object.freeze({
  repeats: Object.freeze({ throttled: 0, overloaded: 0, error: 0, network: 0 }),
  waitedMs: 0,
});

export type RetryMoment = {
  /** Epoch milliseconds, as the deadline. */
  readonly now: number;
  readonly deadlineAt: number;
  /** From 0 up to 1. */
  readonly random: number;
};

export type RetryDecision =
  | {
      readonly kind: 'retry';
      readonly waitMs: number;
      readonly failure: RepeatableFailure;
      /** Which repeat of this kind it is, of how many at most: for the log. */
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
  moment: RetryMoment,
): RetryDecision {
  const failure = repeatableFailure(error);
  if (failure === undefined) return { kind: 'give_up', why: 'not_repeatable' };
  const most = rules[ROWS[failure].retries];
  const before = history.repeats[failure];
  if (before >= most) return { kind: 'give_up', why: 'used_up' };
  const wait = waitFor(rules, failure, before, error, moment);
  const leftToDeadlineMs = moment.deadlineAt - moment.now;
  const leftToWaitMs = rules.maxInteractiveWaitMs - history.waitedMs;
  // At the deadline itself there is no time left for the call.
  if (wait.leastMs >= leftToDeadlineMs) return { kind: 'give_up', why: 'deadline' };
  if (wait.leastMs > leftToWaitMs) return { kind: 'give_up', why: 'waited_enough' };
  // Jitter may be cut by a bound; what was asked of us may not.
  const waitMs = Math.max(wait.leastMs, Math.min(wait.ms, leftToWaitMs, leftToDeadlineMs - 1));
  return { kind: 'retry', waitMs, failure, number: before + 1, most };
}

/** The history of a request after it has waited and repeated. */
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
  if (code === 'NETWORK_TIMEOUT') return 'network';
  if (code === 'PROVIDER_UNAVAILABLE') return UNAVAILABLE[params.reason ?? 'error'];
  if (code !== 'RATE_LIMITED') return undefined;
  // Elsewhere our own limits have refused the caller, not the provider us.
  return (params.scope ?? 'provider') === 'provider' ? 'throttled' : undefined;
}

const UNAVAILABLE = { overloaded: 'overloaded', error: 'error', circuit_open: undefined } as const;

const ROWS = {
  throttled: { retries: 'throttledRetries', base: 'baseMs' },
  overloaded: { retries: 'overloadedRetries', base: 'overloadedBaseMs' },
  error: { retries: 'errorRetries', base: 'baseMs' },
  network: { retries: 'networkRetries', base: 'baseMs' },
} as const satisfies Record<RepeatableFailure, object>;

type WaitRange = { readonly leastMs: number; readonly ms: number };

function waitFor(
  rules: RetryRules,
  failure: RepeatableFailure,
  before: number,
  error: SpillwayError,
  { now, random }: RetryMoment,
): WaitRange {
  const { jitter, maxMs } = rules;
  const baseMs = rules[ROWS[failure].base];
  const ownMs = exponentialMs({ baseMs, maxMs, jitter }, before, random);
  const askedMs = Math.max(error.retryAfterMs ?? 0, (error.resetAt ?? now) - now);
  // To be told to wait for nothing is to be told nothing.
  if (askedMs <= 0) return { leastMs: ownMs, ms: ownMs };
  const patientMs = statedMs(askedMs, jitter, random);
  // A throttle knows its own end; an overload that names a time is still given the longer of the two.
  if (failure === 'throttled') return { leastMs: Math.ceil(askedMs), ms: patientMs };
  return { leastMs: Math.ceil(askedMs), ms: Math.max(ownMs, patientMs) };
}
