// The contract of the job pipeline on embedded storage, with a test clock.

import assert from 'node:assert/strict';
import { jobPipelineContract } from '../../../test/contract/jobs/job-pipeline.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { newId } from '../../kernel/ids.ts';
import { silentLog } from '../../kernel/log.ts';
import { createDeadLetterStore } from '../sql/jobs/dead-letter-store.ts';
import { createJobHistory } from '../sql/jobs/job-history.ts';
import { createJobStore } from '../sql/jobs/job-store.ts';
import { createJobQueue } from '../sql/queue/job-queue.ts';
import { createQueueSignals } from '../sql/queue/queue-signals.ts';
import { openSqlite } from './open-sqlite.ts';

jobPipelineContract('embedded storage', async () => {
  const sqlite = await openSqlite(':memory:');
  const { db, dialect } = sqlite;
  const signals = createQueueSignals();
  const clock = createTestClock();
  const queue = createJobQueue({ db, dialect, signals, clock, log: silentLog, newId });
  return {
    store: createJobStore({ db, signals }),
    history: createJobHistory(db),
    deadLetters: createDeadLetterStore(db, signals),
    queue,
    clock,
    pass: (ms) => clock.advance(ms),
    async close() {
      await queue.close();
      assert.equal(clock.pendingTimers(), 0, 'a timer was left behind');
      await sqlite.close();
    },
  };
});
