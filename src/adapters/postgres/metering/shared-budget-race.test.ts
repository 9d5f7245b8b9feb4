// Real processes race for one budget on a real PostgreSQL; one process is killed. Exactly the requests that fit are reserved,
// every attempt is counted, and no money stays reserved.

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { budgetOwner } from '../../../../test/support/budgets/budget-ask.ts';
import { startBudgetChild } from '../../../../test/support/budgets/budget-child.ts';
import { storeOwner } from '../../../../test/support/budgets/budget-rig.ts';
import {
  createTestDatabase,
  openEmptyStore,
  runOn,
  type TestDatabase,
} from '../../../../test/support/stores/isolated-postgres.ts';
import { tempFolder } from '../../../../test/support/temp-folder.ts';

const SERVERS = 4;
const ASKS = 500;
const FITS = 100;

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase('race');
});
after(() => database.drop());

function startAll(folder: string, asks: number, reservationMs: number, settledPercent: number) {
  return Array.from({ length: SERVERS }, (_, index) => {
    const own = path.join(folder, String(index));
    return startBudgetChild(own, `srv${index}`, asks, reservationMs, settledPercent, database.url);
  });
}

async function organizationWith(limitNanos: number): Promise<void> {
  const store = await openEmptyStore(database);
  await storeOwner(store, budgetOwner({ organizationLimitNanos: limitNanos }));
  await store.close();
}

async function period(): Promise<readonly [number, number]> {
  const [row] = await runOn(
    database.url,
    `select posted_nanos, reserved_nanos from spillway.budget_periods where kind = 'organization'`,
  );
  return [Number(row?.['posted_nanos']), Number(row?.['reserved_nanos'])];
}

test('500 requests on four servers for a budget of 100 reserve 100', async (context) => {
  await organizationWith(FITS * 10);
  const servers = startAll(tempFolder(context), ASKS / SERVERS, 3_600_000, 0);
  await Promise.all(servers.map((server) => server.until('done')));
  const reserved = servers.reduce((sum, server) => sum + server.said('reserved').size, 0);
  const refused = servers.reduce((sum, server) => sum + server.said('refused').size, 0);
  assert.deepEqual([reserved, refused], [FITS, ASKS - FITS]);
  assert.deepEqual(await period(), [0, FITS * 10]);
  await Promise.all(servers.map((server) => server.kill()));
});

test('every attempt of a killed server is counted, and none of its money stays reserved', async (context) => {
  await organizationWith(1_000_000);
  const reservationMs = 4000;
  const servers = startAll(tempFolder(context), 200, reservationMs, 90);
  const [victim, ...others] = servers;
  assert.ok(victim);
  await victim.until('reserved', 100);
  await victim.kill();
  await Promise.all(others.map((server) => server.until('done')));
  // The remaining reservations expire, and any live server settles them.
  await untilCount('spillway.budget_reservations', (count) => count === 0);
  await Promise.all(others.map((server) => server.kill()));
  const rows = await runOn(database.url, 'select id, cost_nanos from spillway.usage_records');
  const counted = new Set(rows.map((row) => String(row['id'])));
  for (const server of servers) {
    const missing = server.said('reserved').difference(counted);
    // The usage of the killed server is in its journal, which is replayed at its next start; until then its reservations
    // are charged as estimates.
    assert.deepEqual([...missing], []);
  }
  await assertBooksAgree();
});

test('the allotment of a killed busy server is charged until its restart, and then its real usage', async (context) => {
  await organizationWith(10_000_000);
  const folder = tempFolder(context);
  // A thousand requests a second; the server is killed before the last.
  const victim = startBudgetChild(`${folder}/0`, 'srv0', 20_000, 3000, 97, database.url, 20_000);
  await victim.until('reserved', 500);
  await untilCount(WORKING, (count) => count > 0);
  await victim.kill();
  // Another server settles its reservations and its allotment as estimates.
  const other = startBudgetChild(`${folder}/1`, 'srv1', 200, 3000, 97, database.url);
  await other.until('done');
  await untilCount('spillway.budget_reservations', (count) => count === 0);
  await untilCount(WORKING, (count) => count === 0);
  const known = [victim, other].map((server) => {
    return { used: server.said('used'), reserved: server.said('reserved') };
  });
  const [posted] = await period();
  assert.ok(posted >= known.reduce((sum, { used }) => sum + used.size * USED_NANOS, 0));
  await assertBooksAgree();
  // Restarted, it replays usage and reservations from its journal and releases its allotment.
  const again = startBudgetChild(`${folder}/0`, 'again', 0, 0, 100, database.url);
  await again.until('ready');
  await untilCount('spillway.budget_reservations', (count) => count === 0);
  await untilCount("spillway.usage_records where id like 'alt%'", (count) => count === 0);
  await Promise.all([other.kill(), again.kill()]);
  const rows = await runOn(database.url, 'select id, cost_nanos from spillway.usage_records');
  const costs = new Map(rows.map((row) => [String(row['id']), Number(row['cost_nanos'])]));
  for (const { used, reserved } of known) {
    assert.deepEqual(
      [...reserved].filter((id) => !costs.has(id)),
      [],
    );
    assert.deepEqual(
      [...used].filter((id) => costs.get(id) !== USED_NANOS),
      [],
    );
  }
  await assertBooksAgree();
});

const USED_NANOS = 4;
const WORKING = "spillway.budget_allotments where purpose = 'working'";

async function untilCount(what: string, isRight: (count: number) => boolean): Promise<void> {
  for (let laps = 0; laps < 600; laps += 1) {
    const [row] = await runOn(database.url, `select count(*) as count from ${what}`);
    if (isRight(Number(row?.['count']))) return;
    await delay(100);
  }
  assert.fail(`the expected count of ${what} was not reached`);
}

/** The posted amount is the sum of all records, and only allotments are reserved. */
async function assertBooksAgree(): Promise<void> {
  const [sum] = await runOn(
    database.url,
    'select coalesce(sum(cost_nanos), 0) as nanos from spillway.usage_records',
  );
  const [allotted] = await runOn(
    database.url,
    'select coalesce(sum(amount_nanos), 0) as nanos from spillway.budget_allotments',
  );
  const [posted, reserved] = await period();
  assert.deepEqual([posted, reserved - Number(allotted?.['nanos'])], [Number(sum?.['nanos']), 0]);
}
