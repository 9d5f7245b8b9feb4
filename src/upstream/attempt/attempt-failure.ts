// The failures that an attempt itself finds: a clock that ran out, an answer that broke off, a status that is no answer.

import type { Verdict } from '../../errors/codes.ts';
import { UNREADABLE_ANSWER } from '../../errors/mapping/lesson/lesson.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { ClockPhase } from './attempt-clocks.ts';

/** A success without a body and a redirect are no answers; a redirect is not followed, because its target is unknown. */
export function isRefusal(status: number): boolean {
  return status >= 300 || status === 204 || status === 205;
}

/** The provider reported success or a redirect and sent something else: its failure, not ours. */
export const UNREADABLE: Verdict = {
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
