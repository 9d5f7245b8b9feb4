// Concurrent jobs on PostgreSQL share statements, and each is still fenced and answered on its own.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import {
  createTestDatabase,
  openEmptyStore,
  type TestDatabase,
} from '../../../../test/support/stores/isolated-postgres.ts';
import { createTestClock } from '../../../../test/support/test-clock.ts';
import { newJob } from '../../../jobs/intake/submit-job.ts';
import type { Job } from '../../../jobs/model/job.ts';
import { requeued, routed, started } from '../../../jobs/model/job-moves.ts';
import { messageFor } from '../../../jobs/model/job-pointer.ts';
import type { JobStore } from '../../../jobs/ports/job-store.ts';
import { newId } from '../../../kernel/ids.ts';
import { createJobHistory } from '../../sql/jobs/job-history.ts';
import { createQueueSignals, type QueueSignals } from '../../sql/queue/queue-signals.ts';
import type { PostgresStore } from '../connection/open-postgres.ts';
import { createPostgresJobStore } from './job-store.ts';
import { createPostgresQueueOperations } from './queue-operations.ts';

const WORKER = { workerId: 'worker-1', leaseMs: 1000 };
const clock = createTestClock(1000);
let database: TestDatabase;
let store: PostgresStore;
let jobs: JobStore;
let signals: QueueSignals;
let statements: number;

before(async () => {
  database = await createTestDatabase('groups');
});
after(() => database.drop());
beforeEach(async (context) => {
  store = await openEmptyStore(database);
  statements = 0;
  const counted: PostgresStore = {
    ...store,
    run(text, values) {
      statements += 1;
      return store.run(text, values);
    },
  };
  signals = createQueueSignals();
  jobs = createPostgresJobStore({ store: counted, signals });
  if ('after' in context) context.after(() => store.close());
});

function jobOf(organizationId: string, id?: string, priority?: number): Job {
  const message = { prompt: 'hello', id, priority };
  const given = { message, submitter: { organizationId }, origin: 'http', queue: 'raw' } as const;
  return newJob(given, newId, clock.now());
}

function create(job: Job) {
  return jobs.create(job, { prompt: 'hello' }, [{ queue: 'raw', message: messageFor(job) }]);
}

test('jobs submitted at once share a statement, and one public id is one job', async () => {
  const given = ['a', 'b', 'same', 'same', 'c'].map((id) => jobOf('default', id));
  const created = await Promise.all(given.map(create));
  assert.deepEqual(
    created.map(({ isNew }) => isNew),
    [true, true, true, false, true],
  );
  assert.equal(created[3]?.job.id, given[2]?.id);
  assert.equal(statements, 2);
});

test("the messages of a batch are served tenant by tenant in turn, each tenant's in order", async () => {
  const own = createPostgresQueueOperations(store);
  const loud = Array.from({ length: 4 }, () => jobOf('loud'));
  const quiet = [jobOf('quiet')];
  await create(jobOf('loud'));
  await Promise.all([...loud, ...quiet].map(create));
  const lease = { owner: 'me', until: 9000 };
  const claimed = await own.claim('raw', { count: 10, lease, now: clock.now() });
  const order = claimed.map(({ id }) => id);
  const places = loud.map((job) => order.indexOf(messageFor(job).id));
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  assert.ok(order.indexOf(messageFor(quiet[0] ?? jobOf('none')).id) <= 1);
  assert.equal(claimed.length, 6);
});

test('concurrent moves are each fenced and answered on their own', async () => {
  const waiting = await Promise.all(
    Array.from({ length: 10 }, async () => (await create(jobOf('default'))).job),
  );
  statements = 0;
  const moves = waiting.map((job, place) => {
    const seen = place % 2 === 0 ? job : { ...job, fence: job.fence + 7 };
    return started(seen, WORKER, clock.now());
  });
  const moved = await Promise.all(moves.map((move) => jobs.move(move)));
  assert.equal(statements, 1);
  moved.forEach((job, place) => {
    assert.equal(job?.state, place % 2 === 0 ? 'running' : undefined);
    if (job) assert.equal(job.id, waiting[place]?.id);
  });
  const history = createJobHistory(store.db);
  for (const [place, job] of waiting.entries()) {
    const types = (await history.events(job.id, { limit: 9 })).map(({ type }) => type);
    assert.deepEqual(types, place % 2 === 0 ? ['submitted', 'running'] : ['submitted']);
    assert.equal((await history.attempts(job.id)).length, place % 2 === 0 ? 1 : 0);
  }
});

test('moves of different kinds in one batch change only their own fields', async () => {
  const [one, two] = [jobOf('default'), jobOf('default')];
  await Promise.all([one, two].map(create));
  const stored = await jobs.find({ id: one.id });
  const route = { queue: 'gemini-queue', provider: 'gemini', model: 'a\u0000b' };
  const moved = await Promise.all([
    jobs.move(routed(one, route, 2000)),
    jobs.move(started(two, WORKER, 3000)),
  ]);
  const [routedJob, startedJob] = await Promise.all([one, two].map(({ id }) => jobs.find({ id })));
  assert.deepEqual(
    moved.map((job) => job?.fence),
    [one.fence + 1, two.fence + 1],
  );
  assert.deepEqual(routedJob, {
    ...stored,
    ...route,
    model: 'a\uFFFDb',
    fence: one.fence + 1,
    runAt: 2000,
    publishedAt: 2000,
    updatedAt: 2000,
  });
  assert.equal(startedJob?.queue, 'raw');
  assert.equal(startedJob?.provider, undefined);
  assert.equal(startedJob?.leaseOwner, 'worker-1');
  assert.equal(startedJob?.updatedAt, 3000);
});

test('the returned job equals the stored one', async () => {
  const waiting = (await create(jobOf('default'))).job;
  const running = await jobs.move(started(waiting, WORKER, 2000));
  assert.ok(running);
  assert.equal(JSON.stringify(inOrder(running)), await kept());
  const back = await jobs.move(requeued(running, 'lost', 3000));
  assert.equal(JSON.stringify(inOrder(back)), await kept());

  async function kept(): Promise<string> {
    return JSON.stringify(inOrder(await jobs.find({ id: waiting.id })));
  }

  function inOrder(job: Job | undefined): readonly unknown[] {
    return Object.entries(job ?? {})
      .filter(([, value]) => value !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
  }
});

test('an outbox message is on its queue, and its consumers are notified, only after the commit', async () => {
  const notified: string[] = [];
  signals.listen('results', () => void notified.push('results'));
  const waiting = (await create(jobOf('default'))).job;
  const message = { id: 'result', body: 'text' };
  const outbox = [{ queue: 'results', message, isUnordered: true }];
  await jobs.move({ ...started(waiting, WORKER, 2000), outbox });
  assert.deepEqual(notified, ['results']);
  // The fence refuses the same move, with its outbox messages.
  const stale = [{ queue: 'results', message: { id: 'stale', body: '' }, isUnordered: true }];
  await jobs.move({ ...started(waiting, WORKER, 2000), outbox: stale });
  assert.deepEqual(notified, ['results']);
  const own = createPostgresQueueOperations(store);
  const lease = { owner: 'another', until: 9000 };
  const claimed = await own.claim('results', { count: 5, lease, now: 2000 });
  assert.deepEqual(
    claimed.map(({ id, body }) => [id, body]),
    [['result', 'text']],
  );
});
