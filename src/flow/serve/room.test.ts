import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { Room } from './room.ts';

test('so many may be in it, and whoever leaves makes room', () => {
  const room = new Room(2);
  room.enter();
  room.enter();
  assert.throws(
    () => room.enter(),
    (error) =>
      error instanceof SpillwayError &&
      error.code === 'CAPACITY_EXHAUSTED' &&
      error.retryable &&
      Number(error.retryAfterMs) > 0,
  );
  assert.equal(room.used, 2);
  room.leave();
  room.enter();
  assert.equal(room.used, 2);
});
