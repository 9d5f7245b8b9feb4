// Kills a real process repeatedly while it spends a budget on one data folder. The store must then have charged every
// reservation of the dead processes once and reserve nothing; the posted amount equals the sum of the usage.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { budgetOwner } from '../../../test/support/budgets/budget-ask.ts';
import { startBudgetChild } from '../../../test/support/budgets/budget-child.ts';
import { openBudgetServer, storeOwner } from '../../../test/support/budgets/budget-rig.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { openSqlite } from '../../adapters/sqlite/open-sqlite.ts';
import { createSqliteUsageStore } from '../../adapters/sqlite/usage-store.ts';

const LIVES = 5;
const ASKS = 400;
const RESERVATION_MS = 3_600_000;

test('every reservation of a killed process is charged once, and no money stays reserved', async (context) => {
  const folder = tempFolder(context);
  const owner = budgetOwner({ organizationLimitNanos: Number.MAX_SAFE_INTEGER });
  const first = await openSqlite(path.join(folder, 'spillway.db'));
  await storeOwner(first, owner);
  await first.close();
  const reserved = new Set<string>();
  const used = new Set<string>();
  for (let life = 0; life < LIVES; life += 1) {
    const child = startBudgetChild(folder, `life${life}`, ASKS, RESERVATION_MS, 80);
    await child.until('reserved', 40 + Math.ceil(Math.random() * 200));
    await child.kill();
    for (const id of child.said('reserved')) reserved.add(id);
    for (const id of child.said('used')) used.add(id);
  }

  const store = await openSqlite(path.join(folder, 'spillway.db'));
  const usage = createSqliteUsageStore(store);
  const clock = createTestClock(Date.now());
  const parts = { ...store, folder: path.join(folder, 'journal'), usage, clock };
  const server = await openBudgetServer(parts);
  const before = await server.ledger.status(owner, 'organization');
  assert.ok((before?.reservedNanos ?? 0) > 0, 'open attempts stay reserved until they expire');
  await clock.jump(RESERVATION_MS);
  await clock.advance(5000);
  await server.flush();

  const rows = await store.db.selectFrom('usage_records').selectAll().execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const id of reserved) assert.ok(byId.has(id), `${id} was reserved and is not counted`);
  for (const id of used) assert.equal(byId.get(id)?.status, 'OK', `${id} was used`);
  const sum = rows.reduce((total, row) => total + Number(row.cost_nanos), 0);
  const after = await server.ledger.status(owner, 'organization');
  assert.deepEqual([after?.spentNanos, after?.reservedNanos], [sum, 0]);
  const stored = await store.db.selectFrom('budget_periods').selectAll().execute();
  const posted = stored.filter((row) => row.kind === 'organization');
  assert.equal(
    posted.reduce((total, row) => total + Number(row.posted_nanos), 0),
    sum,
  );
  assert.deepEqual(await store.db.selectFrom('budget_reservations').selectAll().execute(), []);
  await server.close();
  await store.close();
});
