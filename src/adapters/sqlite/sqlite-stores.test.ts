// The contracts of the stores on embedded storage.

import { jobStoreContract } from '../../../test/contract/jobs/job-store.ts';
import { keyStoreContract } from '../../../test/contract/key-store.ts';
import { organizationStoreContract } from '../../../test/contract/organization-store.ts';
import { usageStoreContract } from '../../../test/contract/usage-store.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { newOrganization } from '../../admission/organization.ts';
import { newId } from '../../kernel/ids.ts';
import { silentLog } from '../../kernel/log.ts';
import { createDeadLetterStore } from '../sql/jobs/dead-letter-store.ts';
import { createJobHistory } from '../sql/jobs/job-history.ts';
import { createJobStore } from '../sql/jobs/job-store.ts';
import { createKeyStore } from '../sql/key-store.ts';
import { createBudgetStore } from '../sql/metering/budget-store.ts';
import { createOrganizationStore } from '../sql/organization-store.ts';
import { createJobQueue } from '../sql/queue/job-queue.ts';
import { createQueueSignals } from '../sql/queue/queue-signals.ts';
import { openSqlite } from './open-sqlite.ts';
import { createSqliteUsageStore } from './usage-store.ts';

organizationStoreContract('embedded storage', async () => {
  const store = await openSqlite(':memory:');
  return { organizations: createOrganizationStore(store.db), close: () => store.close() };
});

keyStoreContract('embedded storage', async () => {
  const store = await openSqlite(':memory:');
  return {
    keys: createKeyStore(store.db),
    organizations: createOrganizationStore(store.db),
    close: () => store.close(),
  };
});

usageStoreContract('embedded storage', async () => {
  const store = await openSqlite(':memory:');
  return {
    usage: createSqliteUsageStore(store),
    budgets: createBudgetStore(store.db),
    addOrganization: (id) => createOrganizationStore(store.db).create(newOrganization({ id }, 1)),
    close: () => store.close(),
  };
});

jobStoreContract('embedded storage', async () => {
  const store = await openSqlite(':memory:');
  const { db } = store;
  const signals = createQueueSignals();
  const parts = { ...store, signals, clock: createTestClock(1000), log: silentLog, newId };
  return {
    jobs: createJobStore({ db, signals }),
    history: createJobHistory(db),
    deadLetters: createDeadLetterStore(db, signals),
    queue: createJobQueue(parts),
    close: () => store.close(),
  };
});
