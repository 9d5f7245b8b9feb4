import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSpillwayError } from './spillway-error.ts';
import { asStoreAway, isStoreAway } from './store-away.ts';

test('what a store throws while it is away is told as capacity that comes back', () => {
  const cause = asStoreAway(new Error('connection refused'));
  for (const thrown of [cause, new Error('it was not stored', { cause })]) {
    const { code, retryable, retryAfterMs } = toSpillwayError(thrown);
    assert.deepEqual([code, retryable, retryAfterMs], ['CAPACITY_EXHAUSTED', true, 2000]);
  }
});

test('what nobody marked stays internal', () => {
  assert.equal(toSpillwayError(new Error('a wrong statement')).code, 'INTERNAL');
  assert.equal(isStoreAway(asStoreAway('no error')), false);
  const ring = new Error('ring');
  ring.cause = ring;
  assert.equal(isStoreAway(ring), false);
});
