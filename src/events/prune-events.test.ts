import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { silentLog } from '../kernel/log.ts';
import { startEventPruning } from './prune-events.ts';

test('pruning deletes old events in batches, and again after an interval', async () => {
  const clock = createTestClock();
  const calls: number[] = [];
  let left = 700;
  const store = {
    async prune(before: number, limit: number) {
      calls.push(clock.now() - before);
      const deleted = Math.min(limit, left);
      left -= deleted;
      return deleted;
    },
  };
  const pruning = startEventPruning({ store, keptMs: 1000, clock, log: silentLog });
  await clock.advance(600_000);
  assert.deepEqual(calls, [1000, 1000]);
  await clock.advance(600_000);
  assert.equal(calls.length, 3);
  await pruning.close();
  assert.equal(clock.pendingTimers(), 0);
});

test('pruning tries again at the next interval if the store is unavailable', async () => {
  const clock = createTestClock();
  let calls = 0;
  const store = {
    prune: () => {
      calls += 1;
      return Promise.reject(new Error('unavailable'));
    },
  };
  const pruning = startEventPruning({ store, keptMs: 1000, clock, log: silentLog });
  await clock.advance(1_200_000);
  assert.equal(calls, 2);
  await pruning.close();
});
