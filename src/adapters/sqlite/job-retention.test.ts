import { jobRetentionContract } from '../../../test/contract/jobs/job-retention.ts';
import { createDeadLetterStore } from '../sql/jobs/dead-letter-store.ts';
import { createJobHistory } from '../sql/jobs/job-history.ts';
import { createJobRetention } from '../sql/jobs/job-retention.ts';
import { createJobStore } from '../sql/jobs/job-store.ts';
import { createQueueSignals } from '../sql/queue/queue-signals.ts';
import { openSqlite } from './open-sqlite.ts';

jobRetentionContract('embedded storage', async () => {
  const store = await openSqlite(':memory:');
  const { db } = store;
  const signals = createQueueSignals();
  return {
    jobs: createJobStore({ db, signals }),
    history: createJobHistory(db),
    deadLetters: createDeadLetterStore(db, signals),
    retention: createJobRetention(db),
    close: () => store.close(),
  };
});
