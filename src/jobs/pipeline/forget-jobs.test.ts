import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { startForgetting } from './forget-jobs.ts';

const HOUR_MS = 3_600_000;

test('old jobs go a few at a time until there are none, and results sooner where they are kept for less', async () => {
  const clock = createTestClock();
  const startedAt = clock.now();
  const asked: [string, number, number][] = [];
  let left = 450;
  const forgetting = startForgetting({
    retention: {
      async forgetJobs(before, limit) {
        asked.push(['jobs', clock.now() - before, limit]);
        const forgotten = Math.min(left, limit);
        left -= forgotten;
        return forgotten;
      },
      async forgetResults(before, limit) {
        asked.push(['results', clock.now() - before, limit]);
        return 0;
      },
    },
    jobsMs: 2 * HOUR_MS,
    resultsMs: HOUR_MS,
    clock,
    log: silentLog,
  });
  await clock.advance(HOUR_MS / 4);
  assert.equal(left, 0);
  assert.deepEqual(
    asked.map(([what]) => what),
    ['jobs', 'jobs', 'jobs', 'results'],
  );
  assert.ok(asked.every(([, , limit]) => limit <= 200));
  assert.ok(clock.now() > startedAt);
  await forgetting.close();
  assert.equal(clock.pendingTimers(), 0);
});

test('a store that is away is asked again later', async () => {
  const clock = createTestClock();
  let tries = 0;
  const forgetting = startForgetting({
    retention: {
      async forgetJobs() {
        tries += 1;
        throw new Error('away');
      },
      forgetResults: () => Promise.resolve(0),
    },
    jobsMs: HOUR_MS,
    resultsMs: HOUR_MS,
    clock,
    log: silentLog,
  });
  await clock.advance(HOUR_MS);
  assert.ok(tries > 1);
  await forgetting.close();
});
