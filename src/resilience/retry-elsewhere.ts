// What a failed attempt means beyond its own target: may another target of an alias be tried at once, and does it speak
// against the provider's health? Both are given failures of attempts alone: an INTERNAL among them is an answer that
// nobody could read, and not a mistake of ours.

import type { ErrorCode } from '../errors/codes.ts';
import type { SpillwayError } from '../errors/spillway-error.ts';
import type { CallHealth } from './breaker-board.ts';

/** `larger_model`: only a target that takes more than this one can help. */
export type MovingOn = 'anywhere' | 'larger_model' | 'nowhere';

export function mayMoveOn(error: SpillwayError): MovingOn {
  // The organisation's own limit follows it to every target.
  if (error.code === 'RATE_LIMITED' && error.params.scope === 'organization') return 'nowhere';
  return MOVING_ON[error.code] ?? 'nowhere';
}

const MOVING_ON: Partial<Record<ErrorCode, MovingOn>> = {
  AI_LIMIT_REACHED: 'anywhere',
  RATE_LIMITED: 'anywhere',
  PROVIDER_UNAVAILABLE: 'anywhere',
  NETWORK_TIMEOUT: 'anywhere',
  AUTH_FAILED: 'anywhere',
  INTERNAL: 'anywhere',
  CONTEXT_TOO_LONG: 'larger_model',
};

/** Throttles, limits, refused credentials and callers' mistakes say nothing about health. */
export function healthOf(error: SpillwayError | undefined): CallHealth {
  if (!error) return 'success';
  if (error.code === 'INTERNAL') return 'failure';
  if (error.code === 'NETWORK_TIMEOUT') return isAborted(error) ? 'neutral' : 'failure';
  if (error.code !== 'PROVIDER_UNAVAILABLE') return 'neutral';
  return error.params.reason === 'circuit_open' ? 'neutral' : 'failure';
}

/** Cut off by us or by a caller who left: the one loss that no repeat can mend. */
function isAborted(error: SpillwayError): boolean {
  return error.params.phase === 'lost' && !error.retryable;
}
