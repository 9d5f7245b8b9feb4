// What a failed run means for its job. Throttles, limits, open circuits and our own lack of room only delay and
// cost nothing; other failures that a repeat may cure are tried again, each wait twice the one before; the
// caller's own mistakes end the job; everything else is a dead letter for an operator. Pure.

import { ERROR_TABLE, type Verdict } from '../../errors/codes.ts';
import type { RunOutcome } from '../ports/job-runner.ts';
import type { Job } from './job.ts';

export type RetryPolicy = {
  /** How often a failed run is repeated. */
  readonly maxRetryAttempts: number;
  readonly retryDelayMs: number;
  /** How many workers a job may lose before it is suspected of killing them. */
  readonly maxLosses: number;
};

export const RETRY_DEFAULTS: RetryPolicy = Object.freeze({
  maxRetryAttempts: 3,
  retryDelayMs: 1000,
  maxLosses: 10,
});

export type Judgement =
  | { readonly kind: 'postpone'; readonly until: number; readonly costsAttempt: boolean }
  | { readonly kind: 'fail'; readonly isDeadLetter: boolean };

export function judge(
  job: Pick<Job, 'attempts'>,
  failure: Pick<Extract<RunOutcome, { kind: 'failed' }>, 'verdict' | 'delayUntil' | 'isFinal'>,
  policy: RetryPolicy,
  now: number,
): Judgement {
  const { verdict } = failure;
  if (failure.isFinal) return { kind: 'fail', isDeadLetter: isOperatorsMatter(verdict) };
  const statedAt = failure.delayUntil ?? momentOf(verdict, now);
  if (failure.delayUntil !== undefined || onlyDelays(verdict))
    return { kind: 'postpone', until: statedAt ?? now + UNKNOWN_WAIT_MS, costsAttempt: false };
  if (!verdict.retryable) return { kind: 'fail', isDeadLetter: isOperatorsMatter(verdict) };
  if (job.attempts > policy.maxRetryAttempts) return { kind: 'fail', isDeadLetter: true };
  const until = Math.max(now + retryDelayMs(job.attempts, policy), statedAt ?? 0);
  return { kind: 'postpone', until, costsAttempt: true };
}

/** The wait after the attempt of this number, the first being 1. */
export function retryDelayMs(attempts: number, policy: RetryPolicy): number {
  return Math.min(policy.retryDelayMs * 2 ** Math.max(0, attempts - 1), MAX_DELAY_MS);
}

const UNKNOWN_WAIT_MS = 300_000;
const MAX_DELAY_MS = 3_600_000;

function onlyDelays(verdict: Verdict): boolean {
  if (verdict.code === 'PROVIDER_UNAVAILABLE') return verdict.params.reason === 'circuit_open';
  return (
    verdict.code === 'AI_LIMIT_REACHED' ||
    verdict.code === 'RATE_LIMITED' ||
    verdict.code === 'CAPACITY_EXHAUSTED'
  );
}

function momentOf(verdict: Verdict, now: number): number | undefined {
  const waitMs = verdict.retryAfterMs ?? verdict.params.retryAfterMs;
  if (waitMs !== undefined) return now + waitMs;
  return verdict.resetAt ?? verdict.params.resetTime;
}

/** A mistake of the caller's own is not: no repeat of it can go well. */
function isOperatorsMatter({ code, retryable }: Verdict): boolean {
  return retryable || ERROR_TABLE[code].status >= 500;
}
