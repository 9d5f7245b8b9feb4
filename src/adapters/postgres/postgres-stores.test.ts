// The contracts of the stores on PostgreSQL, for the SQL shared with SQLite and for PostgreSQL's own functions.

import { after, before } from 'node:test';
import { auditLogContract } from '../../../test/contract/audit-log.ts';
import { jobStoreContract } from '../../../test/contract/jobs/job-store.ts';
import { keyStoreContract } from '../../../test/contract/key-store.ts';
import { organizationStoreContract } from '../../../test/contract/organization-store.ts';
import { usageStoreContract } from '../../../test/contract/usage-store.ts';
import {
  createTestDatabase,
  openEmptyStore,
  type TestDatabase,
} from '../../../test/support/stores/isolated-postgres.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { newOrganization } from '../../admission/organization.ts';
import type { JobStore } from '../../jobs/ports/job-store.ts';
import { newId } from '../../kernel/ids.ts';
import { silentLog } from '../../kernel/log.ts';
import { createAuditLog } from '../sql/audit-log.ts';
import { createDeadLetterStore } from '../sql/jobs/dead-letter-store.ts';
import { createJobHistory } from '../sql/jobs/job-history.ts';
import { createJobStore } from '../sql/jobs/job-store.ts';
import { createKeyStore } from '../sql/key-store.ts';
import { createBudgetStore } from '../sql/metering/budget-store.ts';
import { createOrganizationStore } from '../sql/organization-store.ts';
import { createJobQueue } from '../sql/queue/job-queue.ts';
import { createQueueSignals, type QueueSignals } from '../sql/queue/queue-signals.ts';
import type { PostgresStore } from './connection/open-postgres.ts';
import { createPostgresJobStore } from './jobs/job-store.ts';
import { createPostgresUsageStore } from './metering/usage-store.ts';

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase('stores');
});
after(() => database.drop());

organizationStoreContract('PostgreSQL', async () => {
  const store = await openEmptyStore(database);
  return { organizations: createOrganizationStore(store.db), close: () => store.close() };
});

keyStoreContract('PostgreSQL', async () => {
  const store = await openEmptyStore(database);
  return {
    keys: createKeyStore(store.db),
    organizations: createOrganizationStore(store.db),
    close: () => store.close(),
  };
});

auditLogContract('PostgreSQL', async () => {
  const store = await openEmptyStore(database);
  return { audit: createAuditLog(store.db), close: () => store.close() };
});

usageStoreContract('PostgreSQL', async () => {
  const store = await openEmptyStore(database);
  const usage = createPostgresUsageStore(store);
  return {
    usage,
    budgets: createBudgetStore(store.db),
    addOrganization: (id) => createOrganizationStore(store.db).create(newOrganization({ id }, 1)),
    close: () => store.close(),
  };
});

jobStoreContract('PostgreSQL', () =>
  openJobs((store, signals) => createPostgresJobStore({ store, signals })),
);

jobStoreContract('PostgreSQL by the common SQL', () =>
  openJobs(({ db }, signals) => createJobStore({ db, signals })),
);

async function openJobs(create: (store: PostgresStore, signals: QueueSignals) => JobStore) {
  const store = await openEmptyStore(database);
  const { db, dialect } = store;
  const signals = createQueueSignals();
  const clock = createTestClock(1000);
  return {
    jobs: create(store, signals),
    history: createJobHistory(db),
    deadLetters: createDeadLetterStore(db, signals),
    queue: createJobQueue({ db, dialect, signals, clock, log: silentLog, newId }),
    close: () => store.close(),
  };
}
