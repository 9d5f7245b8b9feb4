import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_RAW_BODY, readRawFailure } from './raw-failure.ts';
import { createRedactor } from './redact.ts';

const redact = createRedactor(['a-configured-key']);

test('a response is reduced to status, listed headers and redacted text', () => {
  const headers = {
    'retry-after': '7',
    'set-cookie': 'session=a-configured-key',
    'x-ratelimit-remaining': '0',
    'request-id': 'a-configured-key',
  };
  assert.deepEqual(readRawFailure({ status: 429, headers, body: 'no a-configured-key' }, redact), {
    status: 429,
    headers: { 'retry-after': '7', 'x-ratelimit-remaining': '0', 'request-id': '[redacted]' },
    body: 'no [redacted]',
  });
});

test('an error is reduced to names, codes and messages, without stacks', () => {
  const cause = Object.assign(new Error('connect refused a-configured-key'), {
    code: 'ECONNREFUSED',
  });
  const raw = readRawFailure(new TypeError('fetch failed', { cause }), redact);
  assert.deepEqual(raw, {
    body: 'TypeError: fetch failed\nError ECONNREFUSED: connect refused [redacted]',
  });
});

test('bytes are decoded as text, bounded in length', () => {
  const body = new TextEncoder().encode('x'.repeat(3 * MAX_RAW_BODY));
  assert.equal(readRawFailure({ body }, redact)?.body?.length, MAX_RAW_BODY);
  assert.equal(readRawFailure(undefined, redact), undefined);
});
