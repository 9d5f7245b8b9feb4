// Random lives of one server: it reserves, settles, releases, waits, dies and starts again. In any order, no budget is
// exceeded, every attempt that may have been sent is charged once, and the posted amount ends as the sum of the usage.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  budgetOwner,
  reservationRequest,
  usageOf,
} from '../../../test/support/budgets/budget-ask.ts';
import {
  type BudgetServer,
  openBudgetServer,
  storeOwner,
} from '../../../test/support/budgets/budget-rig.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { createTestClock, mortalClock } from '../../../test/support/test-clock.ts';
import { openSqlite } from '../../adapters/sqlite/open-sqlite.ts';
import { createSqliteUsageStore } from '../../adapters/sqlite/usage-store.ts';
import type { ReservationRequest } from './budget-ledger.ts';

const LIMIT = 100;
const MONTH = 202601;
const RESERVATION_MS = 20_000;

type Step =
  | { readonly do: 'ask'; readonly amount: number; readonly patienceMs: number }
  | { readonly do: 'settle'; readonly which: number; readonly part: number }
  | { readonly do: 'release'; readonly which: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'die' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      amount: fc.integer({ min: 1, max: 50 }),
      patienceMs: fc.constantFrom(0, 2000),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      which: fc.nat(),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('release' as const), which: fc.nat() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.constantFrom(50, 150, 3000, RESERVATION_MS),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'die' } as const) },
);

test('no sequence of lives exceeds the budget, loses a cost or leaves money reserved', async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 50 }), async (steps) => {
    const run = await startRun();
    for (const each of steps) await run.take(each);
    await run.finish();
  });
  await fc.assert(property, { numRuns: 60 });
});

async function startRun() {
  const folder = makeTempFolder();
  const store = await openSqlite(':memory:');
  const usage = createSqliteUsageStore(store);
  const clock = createTestClock();
  const owner = budgetOwner({ organizationLimitNanos: LIMIT });
  await storeOwner(store, owner);
  /** Reserved attempts of this life that have not ended. */
  const reserved = new Map<string, ReservationRequest>();
  /** Every reserved attempt and its known cost, without released attempts. */
  const costs = new Map<string, number | undefined>();
  let life = mortalClock(clock);
  let server: BudgetServer = await begin();
  let number = 0;

  async function begin(): Promise<BudgetServer> {
    life.die();
    life = mortalClock(clock);
    reserved.clear();
    const opened = await openBudgetServer({ ...store, folder, usage, clock: life });
    await opened.ledger.status(owner, 'organization');
    return opened;
  }

  function ask(amount: number, patienceMs: number): void {
    const id = `a${(number += 1)}`;
    const expiresAt = clock.now() + RESERVATION_MS;
    const made = reservationRequest(id, { owner, worstNanos: amount, patienceMs, expiresAt });
    const asked = server;
    server.ledger.reserve(made, ({ kind }) => {
      if (kind !== 'reserved' || asked !== server) return;
      reserved.set(id, made);
      costs.set(id, undefined);
    });
  }

  async function take(each: Step): Promise<void> {
    const open = [...reserved.values()];
    if (each.do === 'ask') ask(each.amount, each.patienceMs);
    else if (each.do === 'pass') await clock.advance(each.ms);
    else if (each.do === 'die') server = await begin();
    else await end(each, open[each.which % Math.max(1, open.length)]);
    await clock.advance(1);
    await assertWithin();
  }

  async function end(each: Step, chosen: ReservationRequest | undefined): Promise<void> {
    if (!chosen) return;
    const { id } = chosen.attempt;
    reserved.delete(id);
    if (each.do === 'settle') {
      const cost = Math.floor(chosen.worstNanos * each.part);
      costs.set(id, cost);
      await server.record(usageOf(chosen, cost, MONTH));
    } else if (chosen.expiresAt > clock.now() + 1000) {
      costs.delete(id);
      server.ledger.release(chosen.attempt);
    }
  }

  async function assertWithin(): Promise<void> {
    const status = await server.ledger.status(owner, 'organization');
    assert.ok((status?.spentNanos ?? 0) + (status?.reservedNanos ?? 0) <= LIMIT, 'it was passed');
  }

  async function finish(): Promise<void> {
    await clock.advance(3 * RESERVATION_MS);
    await server.flush();
    const records = await usage.list({ organizationId: 'acme', from: 0, to: 4e12, limit: 1000 });
    const byId = new Map(records.map((record) => [record.id, record]));
    for (const [id, cost] of costs) {
      const record = byId.get(id);
      assert.ok(record, `${id} was let through and is not counted`);
      if (cost !== undefined) assert.equal(record.costNanos, cost);
    }
    const sum = records.reduce((total, record) => total + record.costNanos, 0);
    const status = await server.ledger.status(owner, 'organization');
    assert.deepEqual([status?.spentNanos, status?.reservedNanos], [sum, 0]);
    assert.deepEqual(await store.db.selectFrom('budget_reservations').selectAll().execute(), []);
    await server.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }

  return { take, finish };
}
