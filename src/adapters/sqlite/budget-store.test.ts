import { budgetStoreContract } from '../../../test/contract/budget-store.ts';
import { createBudgetStore } from '../sql/metering/budget-store.ts';
import { openSqlite } from './open-sqlite.ts';
import { createSqliteUsageStore } from './usage-store.ts';

budgetStoreContract('embedded storage', async () => {
  const store = await openSqlite(':memory:');
  const usage = createSqliteUsageStore(store);
  return { ...store, budgets: createBudgetStore(store.db), usage, close: () => store.close() };
});
