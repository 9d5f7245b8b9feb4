import { after, before } from 'node:test';
import { jobRetentionContract } from '../../../../test/contract/jobs/job-retention.ts';
import {
  createTestDatabase,
  openEmptyStore,
  type TestDatabase,
} from '../../../../test/support/stores/isolated-postgres.ts';
import { createDeadLetterStore } from '../../sql/jobs/dead-letter-store.ts';
import { createJobHistory } from '../../sql/jobs/job-history.ts';
import { createJobRetention } from '../../sql/jobs/job-retention.ts';
import { createQueueSignals } from '../../sql/queue/queue-signals.ts';
import { createPostgresJobStore } from './job-store.ts';

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase('retention');
});
after(() => database.drop());

jobRetentionContract('PostgreSQL', async () => {
  const store = await openEmptyStore(database);
  const { db } = store;
  const signals = createQueueSignals();
  return {
    jobs: createPostgresJobStore({ store, signals }),
    history: createJobHistory(db),
    deadLetters: createDeadLetterStore(db, signals),
    retention: createJobRetention(db),
    close: () => store.close(),
  };
});
