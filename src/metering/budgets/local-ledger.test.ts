import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { budgetLedgerContract } from '../../../test/contract/budget-ledger.ts';
import { openBudgetServer } from '../../../test/support/budgets/budget-rig.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { createTestClock, mortalClock } from '../../../test/support/test-clock.ts';
import { openSqlite } from '../../adapters/sqlite/open-sqlite.ts';
import { createSqliteUsageStore } from '../../adapters/sqlite/usage-store.ts';

budgetLedgerContract('embedded storage', async () => {
  const folder = makeTempFolder();
  const store = await openSqlite(':memory:');
  const usage = createSqliteUsageStore(store);
  const clock = createTestClock();
  let life = mortalClock(clock);
  return {
    ...store,
    usage,
    clock,
    start() {
      life.die();
      life = mortalClock(clock);
      return openBudgetServer({ ...store, folder: join(folder, 'journal'), usage, clock: life });
    },
    async close() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
