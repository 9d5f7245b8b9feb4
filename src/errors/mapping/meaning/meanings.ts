// The meanings of a failure before it becomes a code. Finer than the codes: an exhausted balance and a burst
// both arrive as 429, and an untrusted certificate is a network failure that no retry can fix.

import type { ErrorCode, ErrorParams } from '../../codes.ts';

export type Meaning =
  | 'quota' // money, credit or plan exhausted, whatever delay is stated
  | 'limit' // a usage limit; window and stated delay decide between limit and throttle
  | 'throttle' // too many requests in a short time; a long window or delay makes it a limit
  | 'overloaded'
  | 'failed'
  | 'broken' // the provider can never serve this request: a repeat fails the same way
  | 'connect'
  | 'unanswered' // no first byte in time
  | 'slow'
  | 'idle'
  | 'lost'
  | 'untrusted'
  | 'aborted'
  | 'credentials'
  | 'policy'
  | 'too_long'
  | 'too_large'
  | 'invalid'
  | 'loop' // another Spillway has seen the request before
  | 'unknown';

/** A meaning and the name of the rule that decided it. */
export type Decided = { readonly meaning: Meaning; readonly rule: string };

/** Window and delay decide between limit and throttle for these meanings. */
export function isLimitOrThrottle(meaning: Meaning): boolean {
  return meaning === 'limit' || meaning === 'throttle';
}

/** For these meanings a stated time is a wait; elsewhere it belongs to the complaint. */
export function hasWait(meaning: Meaning): boolean {
  return (
    isLimitOrThrottle(meaning) ||
    meaning === 'quota' ||
    meaning === 'overloaded' ||
    meaning === 'failed'
  );
}

export type Outcome = {
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  readonly retryable: boolean;
};

/** Shared by every verdict that adds nothing to them, hence frozen. */
export const OUTCOMES: Readonly<Record<Meaning, Outcome>> = frozen({
  // Prepaid money has no reset; a stated reset replaces the reason.
  quota: { code: 'AI_LIMIT_REACHED', params: { reason: 'credit' }, retryable: false },
  limit: { code: 'AI_LIMIT_REACHED', params: {}, retryable: false },
  throttle: { code: 'RATE_LIMITED', params: { scope: 'provider' }, retryable: true },
  overloaded: { code: 'PROVIDER_UNAVAILABLE', params: { reason: 'overloaded' }, retryable: true },
  failed: { code: 'PROVIDER_UNAVAILABLE', params: { reason: 'error' }, retryable: true },
  broken: { code: 'PROVIDER_UNAVAILABLE', params: { reason: 'error' }, retryable: false },
  connect: { code: 'NETWORK_TIMEOUT', params: { phase: 'connect' }, retryable: true },
  unanswered: { code: 'NETWORK_TIMEOUT', params: { phase: 'first_content' }, retryable: true },
  slow: { code: 'NETWORK_TIMEOUT', params: { phase: 'total' }, retryable: true },
  idle: { code: 'NETWORK_TIMEOUT', params: { phase: 'idle' }, retryable: true },
  lost: { code: 'NETWORK_TIMEOUT', params: { phase: 'lost' }, retryable: true },
  untrusted: { code: 'NETWORK_TIMEOUT', params: { phase: 'connect' }, retryable: false },
  aborted: { code: 'NETWORK_TIMEOUT', params: { phase: 'lost' }, retryable: false },
  credentials: { code: 'AUTH_FAILED', params: {}, retryable: false },
  policy: { code: 'CONTENT_POLICY', params: {}, retryable: false },
  too_long: { code: 'CONTEXT_TOO_LONG', params: {}, retryable: false },
  too_large: { code: 'REQUEST_TOO_LARGE', params: {}, retryable: false },
  invalid: { code: 'INVALID_REQUEST', params: {}, retryable: false },
  loop: { code: 'LOOP_DETECTED', params: {}, retryable: false },
  unknown: { code: 'INTERNAL', params: {}, retryable: false },
});

function frozen<Table extends Record<string, Outcome>>(table: Table): Table {
  for (const outcome of Object.values(table)) Object.freeze(Object.freeze(outcome).params);
  return table;
}
