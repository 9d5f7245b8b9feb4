import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTestClock } from '../../../../test/support/test-clock.ts';
import { LongDelays } from './long-delays.ts';

const HOUR_MS = 3_600_000;

it('publishes a message some minutes before it is due', async () => {
  const clock = createTestClock();
  const waits = new LongDelays({ clock, leadMs: 300_000 });
  const dueAt = clock.now() + 3 * HOUR_MS;
  let handedOverAt = 0;
  waits.keep(dueAt, () => {
    handedOverAt = clock.now();
  });
  await clock.advance(3 * HOUR_MS);
  assert.equal(handedOverAt, dueAt - 300_000);
  assert.equal(waits.size, 0);
});

it('drops messages beyond the bound: the sweeper has them', () => {
  const clock = createTestClock();
  const waits = new LongDelays({ clock, leadMs: 1000, maxKept: 2 });
  for (let index = 0; index < 5; index += 1) waits.keep(clock.now() + HOUR_MS, () => {});
  assert.equal(waits.size, 2);
});

it('publishes nothing after close and leaves no timer', async () => {
  const clock = createTestClock();
  const waits = new LongDelays({ clock, leadMs: 1000 });
  waits.keep(clock.now() + HOUR_MS, () => assert.fail('was closed'));
  waits.close();
  await clock.advance(HOUR_MS);
  assert.equal(clock.pendingTimers(), 0);
});
