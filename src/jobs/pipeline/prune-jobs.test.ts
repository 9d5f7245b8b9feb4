import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { startJobPruning } from './prune-jobs.ts';

const HOUR_MS = 3_600_000;

test('pruning deletes old jobs in batches, and results earlier if their retention time is shorter', async () => {
  const clock = createTestClock();
  const startedAt = clock.now();
  const calls: [string, number, number][] = [];
  let left = 450;
  const pruning = startJobPruning({
    retention: {
      async pruneJobs(before, limit) {
        calls.push(['jobs', clock.now() - before, limit]);
        const pruned = Math.min(left, limit);
        left -= pruned;
        return pruned;
      },
      async pruneResults(before, limit) {
        calls.push(['results', clock.now() - before, limit]);
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
    calls.map(([what]) => what),
    ['jobs', 'jobs', 'jobs', 'results'],
  );
  assert.ok(calls.every(([, , limit]) => limit <= 200));
  assert.ok(clock.now() > startedAt);
  await pruning.close();
  assert.equal(clock.pendingTimers(), 0);
});

test('pruning tries again at the next interval if the store is unavailable', async () => {
  const clock = createTestClock();
  let tries = 0;
  const pruning = startJobPruning({
    retention: {
      async pruneJobs() {
        tries += 1;
        throw new Error('unavailable');
      },
      pruneResults: () => Promise.resolve(0),
    },
    jobsMs: HOUR_MS,
    resultsMs: HOUR_MS,
    clock,
    log: silentLog,
  });
  await clock.advance(HOUR_MS);
  assert.ok(tries > 1);
  await pruning.close();
});
