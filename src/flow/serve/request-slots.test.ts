import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { RequestSlots } from './request-slots.ts';

test('acquire throws CAPACITY_EXHAUSTED at the limit, until a slot is released', () => {
  const slots = new RequestSlots(2);
  slots.acquire('one');
  slots.acquire('one');
  assert.throws(
    () => slots.acquire('one'),
    (error) =>
      error instanceof SpillwayError &&
      error.code === 'CAPACITY_EXHAUSTED' &&
      error.retryable &&
      Number(error.retryAfterMs) > 0,
  );
  assert.equal(slots.used, 2);
  slots.release('one');
  slots.acquire('one');
  assert.equal(slots.used, 2);
});

test('an organisation that has all common slots leaves the reserved slots to others', () => {
  const slots = new RequestSlots(100);
  for (let call = 0; call < 100; call += 1) slots.acquire('hostile');
  assert.throws(() => slots.acquire('hostile'));
  for (let call = 0; call < 7; call += 1) slots.acquire('other');
  assert.throws(() => slots.acquire('other'));
  slots.acquire('third');
  slots.release('other');
  slots.acquire('other');
  assert.equal(slots.used, 108);
});

test('reserved slots are bounded for any number of organisations', () => {
  const slots = new RequestSlots(100);
  for (let call = 0; call < 125; call += 1) slots.acquire(`org-${call}`);
  assert.throws(() => slots.acquire('another'));
});
