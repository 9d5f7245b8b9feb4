import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { budgetLedgerContract } from '../../../test/contract/budget-ledger.ts';
import { openBudgetServer } from '../../../test/support/budget-rig.ts';
import {
  createTestDatabase,
  openEmptyStore,
  type TestDatabase,
  untilIdle,
} from '../../../test/support/isolated-postgres.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { createTestClock, mortalClock } from '../../../test/support/test-clock.ts';
import { createSharedBudgetStore } from './shared-budget-store.ts';
import { createPostgresUsageStore } from './usage-store.ts';

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase('budgets');
});
after(() => database.drop());

budgetLedgerContract('PostgreSQL', async () => {
  const folder = makeTempFolder();
  const store = await openEmptyStore(database);
  const usage = createPostgresUsageStore(store);
  const shared = createSharedBudgetStore(store);
  const clock = createTestClock(undefined, undefined, () => untilIdle(store));
  let life = mortalClock(clock);
  return {
    ...store,
    usage,
    clock,
    start() {
      life.die();
      life = mortalClock(clock);
      const parts = { ...store, folder: join(folder, 'journal'), usage, shared, clock: life };
      return openBudgetServer(parts);
    },
    async close() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
