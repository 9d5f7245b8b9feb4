import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { budgetLedgerContract } from '../../../../test/contract/budget-ledger.ts';
import { budgetOwner, reservationRequest } from '../../../../test/support/budgets/budget-ask.ts';
import { openBudgetServer, storeOwner } from '../../../../test/support/budgets/budget-rig.ts';
import {
  createTestDatabase,
  openEmptyStore,
  type TestDatabase,
  untilIdle,
} from '../../../../test/support/stores/isolated-postgres.ts';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { createTestClock, mortalClock } from '../../../../test/support/test-clock.ts';
import { lostRecord, newReservation } from '../../../metering/budgets/budget-reservation.ts';
import type { UsageRecord } from '../../../metering/usage/usage-record.ts';
import { createSharedBudgetStore } from './shared-budget-store.ts';
import { createPostgresUsageStore, reservationLines } from './usage-store.ts';

const DAY_MS = 86_400_000;

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

test('money is reserved and settled whatever characters a caller puts into its labels', async () => {
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
  const reservations = labels.map((userId, index) => {
    const ask = reservationRequest(`a${index}`, { owner, userId });
    const attempt = { ...ask.attempt, category: userId, model: userId };
    return { ...newReservation({ ...ask, attempt }, 202601), reservesUser: true };
  });
  assert.deepEqual(await shared.reserveAll(reservations, 1), []);
  const records = reservations.map((reservation) => ({
    ...lostRecord(reservation, 1),
    status: 'OK',
    costNanos: 3,
  }));
  assert.equal((await usage.insertBatch(records)).stored, labels.length);
  const rows = await store.db.selectFrom('budget_periods').selectAll().execute();
  const users = rows.filter(({ kind }) => kind === 'user');
  assert.equal(users.length, labels.length);
  for (const row of users)
    assert.deepEqual([Number(row.posted_nanos), Number(row.reserved_nanos)], [3, 0]);
  await store.close();
});

/** The reserved amount of the budget, and the number of reservations. */
async function reservedIn({ db }: Awaited<ReturnType<typeof openEmptyStore>>) {
  const [period] = await db.selectFrom('budget_periods').select('reserved_nanos').execute();
  const reservations = await db
    .selectFrom('budget_reservations')
    .where('is_void', '=', 0)
    .selectAll()
    .execute();
  return [Number(period?.reserved_nanos ?? 0), reservations.length];
}

async function openVoiding() {
  const store = await openEmptyStore(database);
  const owner = budgetOwner();
  await storeOwner(store, owner);
  const shared = createSharedBudgetStore(store);
  const usage = createPostgresUsageStore(store);
  const reservation = newReservation(reservationRequest('doubted', { owner }), 202_601);
  const makeVoid = (records: readonly UsageRecord[] = []) =>
    usage.insertBatch(records, { voided: [reservation] });
  return { store, shared, reservation, makeVoid };
}

test('a statement that arrives after its void reserves nothing', async () => {
  const { store, shared, reservation, makeVoid } = await openVoiding();
  await makeVoid();
  await makeVoid();
  assert.deepEqual(await shared.reserveAll([reservation], 1), []);
  assert.deepEqual(await reservedIn(store), [0, 0]);
  await store.close();
});

test('a void releases a reservation that was stored before, and it is not reserved again', async () => {
  const { store, shared, reservation, makeVoid } = await openVoiding();
  await shared.reserveAll([reservation], 1);
  assert.deepEqual(await reservedIn(store), [10, 1]);
  await makeVoid([{ ...lostRecord(reservation, 1), status: 'OK', costNanos: 3 }]);
  assert.deepEqual(await reservedIn(store), [0, 0]);
  await shared.reserveAll([reservation], 1);
  assert.deepEqual(await reservedIn(store), [0, 0]);
  await store.close();
});

test('a void releases a reservation that a concurrent statement stores', async () => {
  const { store, reservation, makeVoid } = await openVoiding();
  let voided: Promise<unknown> | undefined;
  await store.db.transaction().execute(async (late) => {
    await sql`select reserve_budgets(${reservationLines([reservation])}::reservation_line[], 1)`.execute(
      late,
    );
    voided = makeVoid();
    await untilWaiting(store);
  });
  await voided;
  assert.deepEqual(await reservedIn(store), [0, 0]);
  await store.close();
});

test('a void is deleted after a day and charges no budget', async () => {
  const { store, shared, makeVoid } = await openVoiding();
  await makeVoid();
  await shared.settleExpired(Date.now() + DAY_MS - 60_000, 0, 10);
  const count = () => store.db.selectFrom('budget_reservations').selectAll().execute();
  assert.equal((await count()).length, 1);
  await shared.settleExpired(Date.now() + DAY_MS, 0, 10);
  assert.equal((await count()).length, 0);
  assert.deepEqual(await store.db.selectFrom('usage_records').selectAll().execute(), []);
  await store.close();
});

/** Resolves once one transaction waits for another. */
async function untilWaiting(store: Awaited<ReturnType<typeof openEmptyStore>>): Promise<void> {
  for (;;) {
    const rows = await store.run(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      [],
    );
    if (rows.length > 0) return;
    await delay(10);
  }
}
