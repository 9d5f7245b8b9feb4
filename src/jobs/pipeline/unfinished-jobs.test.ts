import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { plainJob } from '../../../test/contract/jobs/job-samples.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createJobStore } from '../../adapters/sql/jobs/job-store.ts';
import { createQueueSignals } from '../../adapters/sql/queue/queue-signals.ts';
import { openSqlite, type SqliteStore } from '../../adapters/sqlite/open-sqlite.ts';
import { delayed, failed, started } from '../model/job-moves.ts';
import type { JobState } from '../model/job-state.ts';
import { createCancelJob } from './cancel-job.ts';
import { createUnfinishedJobs } from './unfinished-jobs.ts';

const WORKER = { workerId: 'worker-1', leaseMs: 1000 };
const VERDICT = { code: 'INTERNAL', params: {}, retryable: false } as const;
const MORE_THAN_A_PAGE = 130;

let store: SqliteStore;
before(async () => {
  store = await openSqlite(':memory:');
});
after(() => store.close());

function open() {
  const jobs = createJobStore({ db: store.db, signals: createQueueSignals() });
  const stopped: string[] = [];
  const cancel = createCancelJob({
    store: jobs,
    running: { stop: (id) => stopped.push(id) > 0 },
    clock: createTestClock(),
    queues: {},
  });
  return { jobs, stopped, unfinished: createUnfinishedJobs({ store: jobs, cancel }) };
}

test('every waiting and running job of the organisation is cancelled, and no other job', async () => {
  const { jobs, stopped, unfinished } = open();
  const submit = async (organizationId: string) =>
    (await jobs.create(plainJob({ organizationId }), { prompt: 'x' })).job;
  for (let count = 0; count < MORE_THAN_A_PAGE; count += 1) await submit('busy');
  const [waiting, running] = await Promise.all([
    jobs.move(started(await submit('busy'), WORKER, 5)),
    jobs.move(started(await submit('busy'), WORKER, 5)),
  ]);
  assert.ok(waiting && running);
  await jobs.move(delayed(waiting, { until: 9, code: 'RATE_LIMITED', costsAttempt: false }, 6));
  await submit('other');
  assert.equal(await unfinished.exist('busy'), true);
  await unfinished.cancelAll('busy');
  assert.equal(await unfinished.exist('busy'), false);
  assert.equal(await unfinished.exist('other'), true);
  assert.ok(stopped.includes(running.id));
  const left = await jobs.list({ organizationId: 'busy', limit: 1000 });
  assert.deepEqual(new Set(left.map(({ state }) => state)), new Set<JobState>(['cancelled']));
  assert.equal(left.length, MORE_THAN_A_PAGE + 2);
});

test('an organisation with only finished jobs has no unfinished ones', async () => {
  const { jobs, unfinished } = open();
  const { job } = await jobs.create(plainJob({ organizationId: 'idle' }), { prompt: 'x' });
  const run = await jobs.move(started(job, WORKER, 5));
  assert.ok(run);
  await jobs.move(failed(run, { verdict: VERDICT }, 6));
  assert.equal(await unfinished.exist('idle'), false);
});
