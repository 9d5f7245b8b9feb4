import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { sleep } from '../../kernel/clock.ts';
import { createSharedReadings } from './shared-readings.ts';

test('readers of a key share a reading until it is too old', async () => {
  const clock = createTestClock();
  const readings = createSharedReadings<number>(clock, 1000);
  let taken = 0;
  const read = () => readings('a', () => Promise.resolve((taken += 1)));
  assert.deepEqual(await Promise.all([read(), read()]), [1, 1]);
  await clock.advance(999);
  assert.equal(await read(), 1);
  await clock.advance(1);
  assert.equal(await read(), 2);
  assert.equal(await readings('b', () => Promise.resolve(7)), 7);
});

test('a slow reading serves twenty times as long as it took', async () => {
  const clock = createTestClock();
  const readings = createSharedReadings<number>(clock, 1000);
  let taken = 0;
  const read = () =>
    readings('a', async () => {
      await sleep(clock, 200);
      return (taken += 1);
    });
  const first = read();
  await clock.advance(200);
  await first;
  await clock.advance(3999);
  assert.equal(await read(), 1);
  await clock.advance(1);
  const second = read();
  await clock.advance(200);
  assert.equal(await second, 2);
});

test('a failed reading is not cached, and the number of keys is bounded', async () => {
  const clock = createTestClock();
  const readings = createSharedReadings<number>(clock, 1000, 2);
  await assert.rejects(readings('a', () => Promise.reject(new Error('down'))));
  assert.equal(await readings('a', () => Promise.resolve(1)), 1);
  await readings('b', () => Promise.resolve(2));
  await readings('c', () => Promise.resolve(3));
  assert.equal(await readings('a', () => Promise.resolve(4)), 4);
});
