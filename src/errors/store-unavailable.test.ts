import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSpillwayError } from './spillway-error.ts';
import { isStoreUnavailable, markStoreUnavailable } from './store-unavailable.ts';

test('a marked store error maps to CAPACITY_EXHAUSTED with a short retry delay', () => {
  const cause = markStoreUnavailable(new Error('connection refused'));
  for (const thrown of [cause, new Error('it was not stored', { cause })]) {
    const { code, retryable, retryAfterMs } = toSpillwayError(thrown);
    assert.deepEqual([code, retryable, retryAfterMs], ['CAPACITY_EXHAUSTED', true, 2000]);
  }
});

test('an unmarked error maps to INTERNAL', () => {
  assert.equal(toSpillwayError(new Error('a wrong statement')).code, 'INTERNAL');
  assert.equal(isStoreUnavailable(markStoreUnavailable('no error')), false);
  const ring = new Error('ring');
  ring.cause = ring;
  assert.equal(isStoreUnavailable(ring), false);
});
