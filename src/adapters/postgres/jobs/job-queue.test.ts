// The queue's contract on PostgreSQL under a test clock, and with several processes.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { jobPipelineContract } from '../../../../test/contract/jobs/job-pipeline.ts';
import { jobQueueContract } from '../../../../test/contract/jobs/job-queue.ts';
import {
  createTestDatabase,
  openEmptyStore,
  type TestDatabase,
  untilIdle,
} from '../../../../test/support/stores/isolated-postgres.ts';
import { createTestClock } from '../../../../test/support/test-clock.ts';
import { newId } from '../../../kernel/ids.ts';
import { silentLog } from '../../../kernel/log.ts';
import { createDeadLetterStore } from '../../sql/jobs/dead-letter-store.ts';
import { createJobHistory } from '../../sql/jobs/job-history.ts';
import { createJobQueue } from '../../sql/queue/job-queue.ts';
import { createQueueSignals } from '../../sql/queue/queue-signals.ts';
import { createPostgresJobStore } from './job-store.ts';
import { createPostgresQueueOperations } from './queue-operations.ts';

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase('queue');
});
after(() => database.drop());

async function openServices() {
  const postgres = await openEmptyStore(database);
  const { db, dialect } = postgres;
  const clock = createTestClock(undefined, undefined, () => untilIdle(postgres));
  const signals = createQueueSignals();
  const operations = createPostgresQueueOperations(postgres);
  const parts = { db, dialect, operations, signals, clock, log: silentLog, newId };
  const queue = createJobQueue(parts);
  return {
    store: createPostgresJobStore({ store: postgres, signals }),
    history: createJobHistory(db),
    deadLetters: createDeadLetterStore(db, signals),
    queue,
    clock,
    now: () => clock.now(),
    pass: (ms: number) => clock.advance(ms),
    async close() {
      await queue.close();
      assert.equal(clock.pendingTimers(), 0, 'a timer was left behind');
      await postgres.close();
    },
  };
}

jobQueueContract('PostgreSQL', openServices, { isFair: true });
jobPipelineContract('PostgreSQL', openServices);
