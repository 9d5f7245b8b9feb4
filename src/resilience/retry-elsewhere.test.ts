// Which failures another target can serve, and which count against a provider's health.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorCode, ErrorParams } from '../errors/codes.ts';
import { ERROR_CODES } from '../errors/codes.ts';
import { SpillwayError } from '../errors/spillway-error.ts';
import { fallbackAfter, healthOf } from './retry-elsewhere.ts';

function failed(code: ErrorCode, params: ErrorParams = {}, retryable?: boolean): SpillwayError {
  return new SpillwayError(code, 'failed', {
    params,
    ...(retryable === undefined ? {} : { retryable }),
  });
}

function codesWhere(claim: (error: SpillwayError) => boolean): ErrorCode[] {
  return ERROR_CODES.filter((code) => claim(failed(code)));
}

test('another target is tried after a failure of this one, not after a fault of the request', () => {
  assert.deepEqual(
    codesWhere((error) => fallbackAfter(error) === 'anywhere'),
    [
      'AI_LIMIT_REACHED',
      'RATE_LIMITED',
      'PROVIDER_UNAVAILABLE',
      'NETWORK_TIMEOUT',
      'AUTH_FAILED',
      'INTERNAL',
    ],
  );
  assert.deepEqual(
    codesWhere((error) => fallbackAfter(error) === 'larger_model'),
    ['CONTEXT_TOO_LONG'],
  );
});

test("an organisation's own limit leads to no other target", () => {
  assert.equal(fallbackAfter(failed('RATE_LIMITED', { scope: 'organization' })), 'nowhere');
  assert.equal(fallbackAfter(failed('RATE_LIMITED', { scope: 'system' })), 'anywhere');
});

test('overload, errors, network failures and unreadable answers count against health', () => {
  assert.deepEqual(
    codesWhere((error) => healthOf(error) === 'failure'),
    ['PROVIDER_UNAVAILABLE', 'NETWORK_TIMEOUT', 'INTERNAL'],
  );
  assert.equal(healthOf(undefined), 'success');
});

test('throttles, limits, credentials and callers’ mistakes are neutral', () => {
  for (const code of ['RATE_LIMITED', 'AI_LIMIT_REACHED', 'AUTH_FAILED', 'CONTENT_POLICY'] as const)
    assert.equal(healthOf(failed(code)), 'neutral');
  assert.equal(healthOf(failed('INVALID_REQUEST')), 'neutral');
});

test('an open circuit and a disconnected caller are neutral', () => {
  assert.equal(healthOf(failed('PROVIDER_UNAVAILABLE', { reason: 'circuit_open' })), 'neutral');
  assert.equal(healthOf(failed('NETWORK_TIMEOUT', { phase: 'lost' }, false)), 'neutral');
  assert.equal(healthOf(failed('NETWORK_TIMEOUT', { phase: 'lost' })), 'failure');
  assert.equal(healthOf(failed('NETWORK_TIMEOUT', { phase: 'connect' }, false)), 'failure');
});
