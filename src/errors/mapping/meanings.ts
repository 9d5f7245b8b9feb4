// What a failure can mean, before it becomes a code: finer than the codes, because a used-up balance and a
// burst both arrive as 429, and a certificate nobody trusts is a network failure that no retry can heal.

import type { ErrorCode, ErrorParams } from '../codes.ts';

export type Meaning =
  | 'quota' // money, credit or plan is gone, whatever delay is named
  | 'limit' // a usage limit; the window and the stated delay decide what it is
  | 'throttle' // too much in a short time; a long window or delay makes it a limit
  | 'overloaded'
  | 'failed'
  | 'broken' // the provider cannot serve this at all: a repeat fails the same way
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
  | 'unknown';

/** A meaning, and which rule decided, for people who ask why. */
export type Decided = { readonly meaning: Meaning; readonly rule: string };

/** Which of the two it is, window and delay decide. */
export function isOfLimits(meaning: Meaning): boolean {
  return meaning === 'limit' || meaning === 'throttle';
}

/** Where a stated time is a promise; elsewhere it is part of the complaint. */
export function hasWait(meaning: Meaning): boolean {
  return (
    isOfLimits(meaning) || meaning === 'quota' || meaning === 'overloaded' || meaning === 'failed'
  );
}

export type Outcome = {
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  readonly retryable: boolean;
};

/** Handed out as they are where nothing is to be added, so they are frozen. */
export const OUTCOMES: Readonly<Record<Meaning, Outcome>> = frozen({
  quota: { code: 'AI_LIMIT_REACHED', params: {}, retryable: false },
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
  unknown: { code: 'INTERNAL', params: {}, retryable: false },
});

function frozen<Table extends Record<string, Outcome>>(table: Table): Table {
  for (const outcome of Object.values(table)) Object.freeze(Object.freeze(outcome).params);
  return table;
}
