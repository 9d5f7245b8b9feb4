// The failure in anything that a page has at hand, with its live countdown: an answer of `send`, a parsed body, a build event,
// a job's progress, a thrown FollowError.

import { useMemo } from 'react';
import { type Failure, findFailure } from '../client/index.ts';
import { type RetryCountdown, useRetryCountdown } from './use-retry-countdown.ts';

/** The result of `useSpillwayError`: a failure with its live countdown. */
export type ShownError = Failure &
  RetryCountdown & {
    /** The button "Try again" makes sense now. */
    readonly canRetry: boolean;
    /** The button "Queue it for me" makes sense. */
    readonly canQueue: boolean;
  };

/** Undefined while `value` has no failure. `onReady` is called once when the time of a retry comes. */
export function useSpillwayError(value: unknown, onReady?: () => void): ShownError | undefined {
  const failure = useMemo(() => failureIn(value), [value]);
  const remaining = useRetryCountdown(failure?.retryAt, onReady);
  if (!failure) return undefined;
  const isWorthRetrying = failure.retryable || failure.retryAt !== undefined;
  return {
    ...failure,
    ...remaining,
    canRetry: isWorthRetrying && remaining.isReady,
    canQueue: failure.queueAvailable,
  };
}

function failureIn(value: unknown): Failure | undefined {
  if (typeof value === 'object' && value !== null && 'failure' in value) {
    const { failure } = value;
    // Made by the client itself: every failure that it returns has this field.
    if (isFailure(failure)) return failure;
    return undefined;
  }
  return isFailure(value) ? value : findFailure(value);
}

function isFailure(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null && 'autoRetry' in value;
}
