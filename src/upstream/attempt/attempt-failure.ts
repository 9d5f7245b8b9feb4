// The failures that an attempt itself finds: a clock that ran out, an answer that broke off, a status that is no answer.

import type { Verdict } from '../../errors/codes.ts';
import { judgeProviderError } from '../../errors/map-provider-error.ts';
import { UNREADABLE_ANSWER } from '../../errors/mapping/lesson/lesson.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { AttemptCall } from './attempt-call.ts';
import type { ClockPhase } from './attempt-clocks.ts';
import { requestFacts } from './request-facts.ts';

/** The error mapper reads at most this much of a refusal's body. */
export const MAX_REFUSAL = { bytes: 8 * 1024, ms: 3000 } as const;

/**
 * A success without a body and a redirect are not answers; a redirect is not followed, because its target is unknown.
 */
export function isRefusal(status: number): boolean {
  return status >= 300 || status === 204 || status === 205;
}

/** The provider reported success or a redirect and sent something else: its failure, not ours. */
const UNREADABLE: Verdict = {
  code: 'PROVIDER_UNAVAILABLE',
  params: { reason: 'error' },
  retryable: true,
};

export function timedOut(phase: ClockPhase): SpillwayError {
  const message = `the ${phase} clock ran out`;
  return new SpillwayError('NETWORK_TIMEOUT', message, { params: { phase }, isTimedOut: true });
}

export function lost(why: string): SpillwayError {
  return new SpillwayError('NETWORK_TIMEOUT', why, {
    params: { phase: 'lost' },
    lesson: UNREADABLE_ANSWER,
    isBrokenOff: true,
  });
}

/** Another attempt at the same target would cost as much and bring the same. */
export function otherForm(): SpillwayError {
  return new SpillwayError('PROVIDER_UNAVAILABLE', 'the answer has another form than requested', {
    params: { reason: 'error' },
    retryable: false,
    lesson: UNREADABLE_ANSWER,
  });
}

type Judged = {
  /** 0 without a response. */
  readonly status: number;
  readonly now: number;
  readonly isBrokenOff: boolean;
};

/** The error for a failure of the provider or of its connection. */
export function judge(
  call: AttemptCall,
  failure: unknown,
  message: string,
  { status, now, isBrokenOff }: Judged,
): SpillwayError {
  const { provider, model } = call.target;
  const context = { provider, model, now, ...requestFacts(call) };
  const { verdict, lesson } = judgeProviderError(failure, context);
  const honest = verdict.code === 'INTERNAL' && status < 400 ? UNREADABLE : verdict;
  return new SpillwayError(honest.code, message, {
    ...honest,
    lesson,
    isBrokenOff,
    cause: failure,
  });
}
