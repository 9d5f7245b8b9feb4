import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { RequestSlots } from './request-slots.ts';

test('acquire throws CAPACITY_EXHAUSTED at the limit, until a slot is released', () => {
  const slots = new RequestSlots(2);
  slots.acquire();
  slots.acquire();
  assert.throws(
    () => slots.acquire(),
    (error) =>
      error instanceof SpillwayError &&
      error.code === 'CAPACITY_EXHAUSTED' &&
      error.retryable &&
      Number(error.retryAfterMs) > 0,
  );
  assert.equal(slots.used, 2);
  slots.release();
  slots.acquire();
  assert.equal(slots.used, 2);
});
