import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { budgetLedgerContract } from '../../../test/contract/budget-ledger.ts';
import { budgetOwner, holdAsk } from '../../../test/support/budget-ask.ts';
import { openBudgetServer, storeOwner } from '../../../test/support/budget-rig.ts';
import {
  createTestDatabase,
  openEmptyStore,
  type TestDatabase,
  untilIdle,
} from '../../../test/support/isolated-postgres.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { createTestClock, mortalClock } from '../../../test/support/test-clock.ts';
import { lostRecord, newHold } from '../../metering/budget-hold.ts';
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

test('whatever callers write into their labels, money is held and settled for it', async () => {
  const store = await openEmptyStore(database);
  const shared = createSharedBudgetStore(store);
  const usage = createPostgresUsageStore(store);
  const owner = budgetOwner({ organizationLimitNanos: 1_000_000, userLimitNanos: 1_000_000 });
  await storeOwner(store, owner);
  const labels = [
    '\0',
    'a\uD800b',
    '"',
    String.raw`\u0000`,
    '{}',
    "'",
    '\n',
    'ü ☂',
    String.raw`\"`,
  ];
  const holds = labels.map((userId, index) => {
    const ask = holdAsk(`a${index}`, { owner, userId });
    const attempt = { ...ask.attempt, category: userId, model: userId };
    return { ...newHold({ ...ask, attempt }, 202601), holdsUser: true };
  });
  assert.deepEqual(await shared.holdAll(holds, 1), []);
  const records = holds.map((hold) => ({ ...lostRecord(hold, 1), status: 'OK', costNanos: 3 }));
  assert.equal((await usage.insertBatch(records)).stored, labels.length);
  const rows = await store.db.selectFrom('budget_periods').selectAll().execute();
  const users = rows.filter(({ kind }) => kind === 'user');
  assert.equal(users.length, labels.length);
  for (const row of users)
    assert.deepEqual([Number(row.posted_nanos), Number(row.held_nanos)], [3, 0]);
  await store.close();
});
