// The failure in any value that a page may have, with its live countdown: an answer of `send`, a parsed body, a build
// event, a job's progress, a thrown FollowError.

import { useMemo } from 'react';
import { type Failure, findFailure } from '../client/index.ts';
import { type RetryCountdown, useRetryCountdown } from './use-retry-countdown.ts';

/** The result of `useSpillwayError`: a failure with its live countdown. */
export type ShownError = Failure &
  RetryCountdown & {
    /** Whether to offer the button "Try again" now. */
    readonly canRetry: boolean;
    /** Whether to offer the button "Queue it for me". */
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
    // Every failure that the client returns has this field.
    if (isFailure(failure)) return failure;
    return undefined;
  }
  return isFailure(value) ? value : findFailure(value);
}

function isFailure(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null && 'autoRetry' in value;
}
