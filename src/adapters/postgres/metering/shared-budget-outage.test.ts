// The test kills, freezes and restarts its own PostgreSQL under servers that share a budget. While it is unavailable they spend
// at most their standby allotments; afterwards every attempt is counted once, and the budget was never exceeded.

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  budgetOwner,
  decided,
  reservationRequest,
  usageOf,
} from '../../../../test/support/budgets/budget-ask.ts';
import {
  type BudgetServer,
  openBudgetServer,
  storeOwner,
} from '../../../../test/support/budgets/budget-rig.ts';
import type { Services } from '../../../../test/support/services/services.ts';
import { startServices } from '../../../../test/support/services/start-services.ts';
import {
  createTestDatabase,
  openEmptyStore,
  runOn,
  type TestDatabase,
} from '../../../../test/support/stores/isolated-postgres.ts';
import { makeTempFolder, tempFolder } from '../../../../test/support/temp-folder.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { openPostgres } from '../connection/open-postgres.ts';
import { createSharedBudgetStore } from './shared-budget-store.ts';
import { createPostgresUsageStore } from './usage-store.ts';

const TIMEOUTS = { connectTimeoutMs: 1000, statementTimeoutMs: 1200, queryTimeoutMs: 1500 };
const IN_TIME = { timeout: 120_000 };
/** A standby allotment is a fiftieth, which is two attempts. */
const LIMIT = 1000;
const OWNER = budgetOwner({ organizationLimitNanos: LIMIT });

let services: Services;
let database: TestDatabase;
before(async () => {
  const env = { PATH: process.env['PATH'] };
  services = await startServices({ env, log: () => {}, wanted: ['postgres'] });
  database = await createTestDatabase('budget_outage', { serverUrl: services.databaseUrl });
});
after(() => services.close());

test(
  'servers spend their standby allotments while the store is down, and every attempt is counted afterwards',
  IN_TIME,
  async (context) => {
    await outage(tempFolder(context), {
      begin: () => services.postgres.kill('SIGKILL'),
      end: () => services.postgres.restart(),
    });
  },
);

test('requests do not wait for a store that hangs', IN_TIME, async (context) => {
  await outage(tempFolder(context), {
    begin: () => services.postgres.freeze(),
    end: () => services.postgres.thaw(),
  });
});

test('servers give back their standby allotments when a request is short', IN_TIME, async () => {
  const { servers, close } = await startServers(makeTempFolder());
  const [first, second] = servers;
  assert.ok(first && second);
  await spend(first, 'a', 900);
  await spend(second, 'b', 10);
  await untilAllotted(2);
  const ask = reservationRequest('last', { owner: OWNER, worstNanos: 90, patienceMs: 10_000 });
  assert.equal((await decided(first.ledger, ask)).kind, 'reserved');
  const over = reservationRequest('over', { owner: OWNER, worstNanos: 1, patienceMs: 500 });
  assert.equal((await decided(second.ledger, over)).kind, 'exceeded');
  await close();
});

type Outage = { readonly begin: () => Promise<unknown>; readonly end: () => Promise<unknown> };

async function outage(folder: string, { begin, end }: Outage): Promise<void> {
  const { servers, close } = await startServers(folder);
  for (const [index, server] of servers.entries()) await spend(server, `before${index}`, 10);
  await untilAllotted(servers.length);
  await begin();
  const kinds: string[] = [];
  for (const [index, server] of servers.entries()) {
    for (let attempt = 0; attempt < 4; attempt += 1)
      kinds.push(await spend(server, `away${index}.${attempt}`, 10, 10));
  }
  const reserved = kinds.filter((kind) => kind === 'reserved').length;
  assert.ok(
    reserved >= 2 && reserved <= 4,
    `${reserved} were served while the store was unavailable`,
  );
  assert.equal(kinds.filter((kind) => kind === 'unavailable').length, kinds.length - reserved);
  await end();
  await Promise.all(servers.map((server) => untilBack(server)));
  for (const [index, server] of servers.entries())
    assert.equal(await spend(server, `after${index}`, 10), 'reserved');
  for (const server of servers) await server.flush();
  const spent = 10 * (2 * servers.length + reserved);
  const status = await servers[0]?.ledger.status(OWNER, 'organization');
  assert.deepEqual([status?.spentNanos, status?.reservedNanos], [spent, 0]);
  const [usage] = await runOn(
    database.url,
    'select sum(cost_nanos) as cost, count(*) as records from spillway.usage_records',
  );
  assert.deepEqual([Number(usage?.['cost']), Number(usage?.['records'])], [spent, spent / 10]);
  await close();
}

async function startServers(folder: string) {
  const empty = await openEmptyStore(database);
  await storeOwner(empty, OWNER);
  await empty.close();
  const stores = [0, 1].map(() => openPostgres(database.url, TIMEOUTS));
  const servers = await Promise.all(
    stores.map((store, index) =>
      openBudgetServer({
        ...store,
        folder: path.join(folder, String(index)),
        serverId: `srv_${index}`,
        usage: createPostgresUsageStore(store),
        shared: createSharedBudgetStore(store),
        clock: systemClock,
      }),
    ),
  );
  async function close(): Promise<void> {
    await Promise.all(servers.map((server) => server.close()));
    await Promise.all(stores.map((store) => store.close()));
  }
  return { servers, close };
}

/** Reserves the amount and, if it is reserved, records the cost. */
async function spend(
  server: BudgetServer,
  id: string,
  worstNanos: number,
  costNanos = worstNanos,
): Promise<string> {
  const ask = reservationRequest(id, {
    owner: OWNER,
    worstNanos,
    expiresAt: Date.now() + 3_600_000,
  });
  const decision = await decided(server.ledger, ask);
  if (decision.kind !== 'reserved') return decision.kind;
  await server.record({ ...usageOf(ask, costNanos, decision.month), createdAt: Date.now() });
  return 'reserved';
}

async function untilAllotted(count: number): Promise<void> {
  for (;;) {
    const [row] = await runOn(
      database.url,
      'select count(*) as count from spillway.budget_allotments',
    );
    if (Number(row?.['count']) === count) return;
    await delay(100);
  }
}

async function untilBack(server: BudgetServer): Promise<void> {
  while (!server.entries.some(({ message }) => message.includes('available again')))
    await delay(50);
}
