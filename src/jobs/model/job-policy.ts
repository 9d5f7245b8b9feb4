// Decides what follows a failed run. Throttles, limits, open circuits and exhausted capacity delay the job and cost no
// attempt; other retryable failures are retried with exponential backoff; an error that the caller caused fails the
// job; everything else fails it with a dead letter. Pure.

import { ERROR_TABLE, type Verdict } from '../../errors/codes.ts';
import type { RunOutcome } from '../ports/job-runner.ts';
import type { Job } from './job.ts';

export type RetryPolicy = {
  /** Retries after the first failed attempt. */
  readonly maxRetryAttempts: number;
  readonly retryDelayMs: number;
  /** Expired leases before the job is suspected of crashing its workers. */
  readonly maxLosses: number;
};

export const RETRY_DEFAULTS: RetryPolicy = Object.freeze({
  maxRetryAttempts: 3,
  retryDelayMs: 1000,
  maxLosses: 10,
});

export type RetryDecision =
  | { readonly kind: 'delay'; readonly until: number; readonly costsAttempt: boolean }
  | { readonly kind: 'fail'; readonly isDeadLetter: boolean };

export function decideRetry(
  job: Pick<Job, 'attempts'>,
  failure: Pick<Extract<RunOutcome, { kind: 'failed' }>, 'verdict' | 'delayUntil' | 'isFinal'>,
  policy: RetryPolicy,
  now: number,
): RetryDecision {
  const { verdict } = failure;
  if (failure.isFinal) return { kind: 'fail', isDeadLetter: needsOperator(verdict) };
  const statedAt = failure.delayUntil ?? statedTime(verdict, now);
  if (failure.delayUntil !== undefined || onlyDelays(verdict))
    return { kind: 'delay', until: statedAt ?? now + DEFAULT_DELAY_MS, costsAttempt: false };
  if (!verdict.retryable) return { kind: 'fail', isDeadLetter: needsOperator(verdict) };
  if (job.attempts > policy.maxRetryAttempts) return { kind: 'fail', isDeadLetter: true };
  const until = Math.max(now + retryDelayMs(job.attempts, policy), statedAt ?? 0);
  return { kind: 'delay', until, costsAttempt: true };
}

/** The backoff after attempt number `attempts`, counted from 1. */
export function retryDelayMs(attempts: number, policy: RetryPolicy): number {
  return Math.min(policy.retryDelayMs * 2 ** Math.max(0, attempts - 1), MAX_DELAY_MS);
}

const DEFAULT_DELAY_MS = 300_000;
const MAX_DELAY_MS = 3_600_000;

function onlyDelays(verdict: Verdict): boolean {
  if (verdict.code === 'PROVIDER_UNAVAILABLE') return verdict.params.reason === 'circuit_open';
  return (
    verdict.code === 'AI_LIMIT_REACHED' ||
    verdict.code === 'RATE_LIMITED' ||
    verdict.code === 'CAPACITY_EXHAUSTED'
  );
}

function statedTime(verdict: Verdict, now: number): number | undefined {
  const waitMs = verdict.retryAfterMs ?? verdict.params.retryAfterMs;
  if (waitMs !== undefined) return now + waitMs;
  return verdict.resetAt ?? verdict.params.resetTime;
}

/** False for an error that the caller caused: an operator cannot fix the request. */
function needsOperator({ code, retryable }: Verdict): boolean {
  return retryable || ERROR_TABLE[code].status >= 500;
}
