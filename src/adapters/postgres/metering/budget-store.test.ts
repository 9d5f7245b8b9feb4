import { after, before } from 'node:test';
import {
  budgetStoreContract,
  sharedBudgetStoreContract,
} from '../../../../test/contract/budget-store.ts';
import {
  createTestDatabase,
  openEmptyStore,
  type TestDatabase,
} from '../../../../test/support/stores/isolated-postgres.ts';
import { createBudgetStore } from '../../sql/metering/budget-store.ts';
import { createSharedBudgetStore } from './shared-budget-store.ts';
import { createPostgresUsageStore } from './usage-store.ts';

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase('budget_stores');
});
after(() => database.drop());

async function open() {
  const store = await openEmptyStore(database);
  return {
    ...store,
    budgets: createBudgetStore(store.db),
    shared: createSharedBudgetStore(store),
    usage: createPostgresUsageStore(store),
  };
}

budgetStoreContract('PostgreSQL', open);
sharedBudgetStoreContract('PostgreSQL', open);
