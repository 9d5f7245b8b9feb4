import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { cacheReading } from './cached-reading.ts';

test('concurrent and later readers share one reading until it is too old', async () => {
  const clock = createTestClock();
  let readings = 0;
  const read = cacheReading(clock, 1000, async () => {
    readings += 1;
    return readings;
  });
  assert.deepEqual(await Promise.all([read(), read(), read()]), [1, 1, 1]);
  await clock.advance(999);
  assert.equal(await read(), 1);
  await clock.advance(1);
  assert.equal(await read(), 2);
});

test('a failed reading is not cached', async () => {
  const clock = createTestClock();
  let readings = 0;
  const read = cacheReading(clock, 1000, async () => {
    readings += 1;
    if (readings === 1) throw new Error('down');
    return readings;
  });
  await assert.rejects(read(), /down/);
  assert.equal(await read(), 2);
});
