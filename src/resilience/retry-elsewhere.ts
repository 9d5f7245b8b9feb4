// Two conclusions from a failed attempt: whether another target of an alias may be tried at once, and whether the failure
// counts against the provider's health. The input is always an attempt's failure, so INTERNAL means an unreadable answer of
// the provider and not a bug of Spillway.

import type { ErrorCode } from '../errors/codes.ts';
import type { SpillwayError } from '../errors/spillway-error.ts';
import type { CallHealth } from './breaker-board.ts';

/** `larger_model`: only a target with a larger context can serve the request. */
export type Fallback = 'anywhere' | 'larger_model' | 'nowhere';

export function fallbackAfter(error: SpillwayError): Fallback {
  // An organisation's own limit applies to every target.
  if (error.code === 'RATE_LIMITED' && error.params.scope === 'organization') return 'nowhere';
  return FALLBACKS[error.code] ?? 'nowhere';
}

const FALLBACKS: Partial<Record<ErrorCode, Fallback>> = {
  AI_LIMIT_REACHED: 'anywhere',
  RATE_LIMITED: 'anywhere',
  PROVIDER_UNAVAILABLE: 'anywhere',
  NETWORK_TIMEOUT: 'anywhere',
  AUTH_FAILED: 'anywhere',
  INTERNAL: 'anywhere',
  CONTEXT_TOO_LONG: 'larger_model',
};

/** Throttles, limits, refused credentials and callers' mistakes are neutral. */
export function healthOf(error: SpillwayError | undefined): CallHealth {
  if (!error) return 'success';
  if (error.lesson) return error.lesson.health;
  if (error.code === 'INTERNAL') return 'failure';
  if (error.code === 'NETWORK_TIMEOUT') return isAborted(error) ? 'neutral' : 'failure';
  if (error.code !== 'PROVIDER_UNAVAILABLE') return 'neutral';
  return error.params.reason === 'circuit_open' ? 'neutral' : 'failure';
}

/** Aborted by Spillway or by the caller's disconnect: the only lost connection that a retry cannot repair. */
function isAborted(error: SpillwayError): boolean {
  return error.params.phase === 'lost' && !error.retryable;
}
