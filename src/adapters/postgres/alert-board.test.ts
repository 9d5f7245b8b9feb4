// The contracts of the ports of alerts on PostgreSQL.

import { after, before } from 'node:test';
import { sql } from 'kysely';
import { alertBoardContract } from '../../../test/contract/alerts/alert-board.ts';
import { budgetLevelsContract } from '../../../test/contract/alerts/budget-levels.ts';
import { jobBacklogContract } from '../../../test/contract/alerts/job-backlog.ts';
import {
  createTestDatabase,
  openEmptyStore,
  type TestDatabase,
} from '../../../test/support/stores/isolated-postgres.ts';
import { newOrganization } from '../../admission/organization.ts';
import { createAlertBoard } from '../sql/alerts/alert-board.ts';
import { createBudgetLevels } from '../sql/alerts/budget-levels.ts';
import { createJobBacklog } from '../sql/jobs/job-backlog.ts';
import { createJobStore } from '../sql/jobs/job-store.ts';
import { createOrganizationStore } from '../sql/organization-store.ts';
import { createQueueSignals } from '../sql/queue/queue-signals.ts';

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase('alerts');
});
after(() => database.drop());

alertBoardContract('PostgreSQL', async () => {
  const store = await openEmptyStore(database);
  return { board: createAlertBoard(store.db), close: () => store.close() };
});

budgetLevelsContract('PostgreSQL', async (id, monthlyBudgetNanos) => {
  const store = await openEmptyStore(database);
  const organization = { ...newOrganization({ id }, 1), monthlyBudgetNanos };
  await createOrganizationStore(store.db).create(organization);
  return {
    levels: createBudgetLevels(store.db),
    run: (statement) => sql.raw(statement).execute(store.db),
    close: () => store.close(),
  };
});

jobBacklogContract('PostgreSQL', async () => {
  const store = await openEmptyStore(database);
  const { db } = store;
  return {
    backlog: createJobBacklog(db),
    jobs: createJobStore({ db, signals: createQueueSignals() }),
    close: () => store.close(),
  };
});
