import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { silentLog } from '../kernel/log.ts';
import { startEventPruning } from './prune-events.ts';

test('pruning deletes old events in batches, and again after an interval', async () => {
  const clock = createTestClock();
  const asked: number[] = [];
  let left = 700;
  const store = {
    async prune(before: number, limit: number) {
      asked.push(clock.now() - before);
      const deleted = Math.min(limit, left);
      left -= deleted;
      return deleted;
    },
  };
  const pruning = startEventPruning({ store, keptMs: 1000, clock, log: silentLog });
  await clock.advance(600_000);
  assert.deepEqual(asked, [1000, 1000]);
  await clock.advance(600_000);
  assert.equal(asked.length, 3);
  await pruning.close();
  assert.equal(clock.pendingTimers(), 0);
});

test('pruning tries again at the next interval if the store is unavailable', async () => {
  const clock = createTestClock();
  let asked = 0;
  const store = {
    prune: () => {
      asked += 1;
      return Promise.reject(new Error('unavailable'));
    },
  };
  const pruning = startEventPruning({ store, keptMs: 1000, clock, log: silentLog });
  await clock.advance(1_200_000);
  assert.equal(asked, 2);
  await pruning.close();
});
