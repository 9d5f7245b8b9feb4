// The contract of BudgetLedger, with its journal and its store. The test of each ledger calls it.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createBudgetStore } from '../../src/adapters/sql/metering/budget-store.ts';
import type { SqlStore } from '../../src/adapters/sql/sql-dialect.ts';
import type { BudgetDecision, BudgetOwner } from '../../src/metering/budgets/budget-ledger.ts';
import type { UsageStore } from '../../src/metering/usage/usage-store.ts';
import {
  budgetOwner,
  decided,
  reservationRequest,
  usageOf,
} from '../support/budgets/budget-ask.ts';
import { type BudgetServer, storeOwner } from '../support/budgets/budget-rig.ts';
import type { TestClock } from '../support/test-clock.ts';

export type OpenedBudgets = SqlStore & {
  readonly usage: UsageStore;
  readonly clock: TestClock;
  /** Starts a server on the store. The previous one is dead from then on, unless it was closed. */
  start(): Promise<BudgetServer>;
  close(): Promise<void>;
};

const JANUARY = 202601;
const FEBRUARY_STARTS = Date.UTC(2026, 1);
const MINE = { organizationId: 'acme', from: 0, to: 4_000_000_000_000 };

export function budgetLedgerContract(adapter: string, open: () => Promise<OpenedBudgets>): void {
  describe(`budgets on ${adapter}`, () => {
    let budgets: OpenedBudgets;
    let server: BudgetServer;
    beforeEach(async () => {
      budgets = await open();
      server = await budgets.start();
    });
    afterEach(async () => {
      await server.close();
      await budgets.close();
    });

    async function owner(given: Partial<BudgetOwner> = {}): Promise<BudgetOwner> {
      const made = budgetOwner(given);
      await storeOwner(budgets, made);
      // The budget is loaded on first use; afterwards no request depends on real time.
      await server.ledger.status(made, 'organization');
      return made;
    }

    /** The posted and reserved amounts of the organisation's budget. */
    async function standing(of: BudgetOwner): Promise<readonly [number, number]> {
      const status = await server.ledger.status(of, 'organization');
      return [status?.spentNanos ?? -1, status?.reservedNanos ?? -1];
    }

    it('reserves a request that fits, and the usage record replaces the reservation', async () => {
      const mine = await owner();
      const ask = reservationRequest('a', { owner: mine, worstNanos: 60 });
      assert.deepEqual(await decided(server.ledger, ask), { kind: 'reserved', month: JANUARY });
      assert.deepEqual(await standing(mine), [0, 60]);
      await server.record(usageOf(ask, 25, JANUARY));
      await server.flush();
      assert.deepEqual(await standing(mine), [25, 0]);
    });

    it('refuses a request above the unspent amount immediately, with budget and reset time', async () => {
      const mine = await owner();
      const first = reservationRequest('a', { owner: mine, worstNanos: 60 });
      await decided(server.ledger, first);
      await server.record(usageOf(first, 60, JANUARY));
      await server.flush();
      const second = reservationRequest('b', { owner: mine, worstNanos: 41, patienceMs: 60_000 });
      assert.deepEqual(await decided(server.ledger, second), {
        kind: 'exceeded',
        scope: 'organization',
        limitNanos: 100,
        spentNanos: 60,
        resetAt: FEBRUARY_STARTS,
      });
    });

    it('reserves exactly the requests that fit, however many arrive at once', async () => {
      const mine = await owner({ organizationLimitNanos: 1000 });
      const asks = Array.from({ length: 250 }, (_, index) =>
        reservationRequest(`a${index}`, { owner: mine }),
      );
      const decisions = asks.map((ask) => decided(server.ledger, ask));
      await budgets.clock.advance(5000);
      const kinds = (await Promise.all(decisions)).map(({ kind }) => kind);
      assert.equal(kinds.filter((kind) => kind === 'reserved').length, 100);
      assert.equal(kinds.filter((kind) => kind === 'exceeded').length, 150);
      assert.deepEqual(await standing(mine), [0, 1000]);
    });

    it('delays requests for reserved money, and decides them in order as reservations are settled', async () => {
      const mine = await owner();
      const first = reservationRequest('first', { owner: mine, worstNanos: 100 });
      await decided(server.ledger, first);
      const told: string[] = [];
      for (const [id, worstNanos] of [
        ['large', 80],
        ['small', 10],
      ] as const) {
        const ask = reservationRequest(id, { owner: mine, worstNanos, patienceMs: 60_000 });
        server.ledger.reserve(ask, ({ kind }) => void told.push(`${id} ${kind}`));
      }
      await budgets.clock.advance(1000);
      assert.deepEqual(told, []);
      await server.record(usageOf(first, 5, JANUARY));
      await budgets.clock.advance(1000);
      assert.deepEqual(told, ['large reserved', 'small reserved']);
    });

    it('refuses a waiting request at the end of its patience', async () => {
      const mine = await owner();
      await decided(server.ledger, reservationRequest('a', { owner: mine, worstNanos: 100 }));
      const decisions: BudgetDecision[] = [];
      const ask = reservationRequest('b', { owner: mine, patienceMs: 3000 });
      server.ledger.reserve(ask, (decision) => void decisions.push(decision));
      await budgets.clock.advance(2000);
      assert.deepEqual(decisions, []);
      await budgets.clock.advance(2000);
      assert.deepEqual(
        decisions.map(({ kind }) => kind),
        ['exceeded'],
      );
      assert.deepEqual(await standing(mine), [0, 100]);
    });

    it('reserves nothing for an attempt that was never sent or a request that was withdrawn', async () => {
      const mine = await owner();
      const ask = reservationRequest('a', { owner: mine, worstNanos: 100 });
      await decided(server.ledger, ask);
      server.ledger.release(ask.attempt);
      await settled(server);
      assert.deepEqual(await standing(mine), [0, 0]);
      const withdraw = server.ledger.reserve(reservationRequest('b', { owner: mine }), () =>
        assert.fail(),
      );
      withdraw();
      await budgets.clock.advance(1000);
      await settled(server);
      assert.deepEqual(await standing(mine), [0, 0]);
    });

    it('applies the budgets of the key and of the user as well as the organisation', async () => {
      const mine = await owner({ keyLimitNanos: 50, userLimitNanos: 20 });
      const refusedBy = async (id: string, worstNanos: number, userId?: string) => {
        const given = userId === undefined ? {} : { userId };
        const ask = reservationRequest(id, { owner: mine, worstNanos, ...given });
        const decision = await decided(server.ledger, ask);
        return decision.kind === 'exceeded' ? decision.scope : decision.kind;
      };
      assert.equal(await refusedBy('a', 21, 'ann'), 'user');
      assert.equal(await refusedBy('b', 20, 'ann'), 'reserved');
      assert.equal(await refusedBy('c', 20, 'bob'), 'reserved');
      assert.equal(await refusedBy('d', 51), 'key');
      assert.equal(await refusedBy('e', 101), 'organization');
      assert.equal((await server.ledger.status(mine, 'key'))?.reservedNanos, 40);
      assert.equal((await server.ledger.status(mine, 'user', 'ann'))?.reservedNanos, 20);
      assert.equal(
        await server.ledger.status({ ...mine, keyLimitNanos: undefined }, 'key'),
        undefined,
      );
    });

    it('posts a record once however often it is delivered, even without a reservation', async () => {
      const mine = await owner();
      const ask = reservationRequest('a', { owner: mine });
      await decided(server.ledger, ask);
      const record = usageOf(ask, 7, JANUARY);
      await server.record(record);
      await server.flush();
      await budgets.usage.insertBatch([record, record]);
      await server.record(usageOf(reservationRequest('unreserved', { owner: mine }), 3, JANUARY));
      await server.flush();
      assert.deepEqual(await standing(mine), [10, 0]);
      assert.equal((await budgets.usage.total(MINE)).costNanos, 10);
    });

    it('settles the reservation of a dead process when it expires, once and marked as estimated', async () => {
      const mine = await owner();
      const expiresAt = budgets.clock.now() + 20_000;
      const ask = reservationRequest('a', { owner: mine, worstNanos: 30, expiresAt });
      await decided(server.ledger, ask);
      server = await budgets.start();
      assert.deepEqual(await standing(mine), [0, 30]);
      await budgets.clock.advance(30_000);
      await server.flush();
      assert.deepEqual(await standing(mine), [30, 0]);
      const [lost, ...others] = await budgets.usage.list({ ...MINE, limit: 10 });
      assert.deepEqual(others, []);
      assert.partialDeepStrictEqual(lost, {
        id: 'a',
        status: 'LOST',
        estimated: true,
        costNanos: 30,
      });
    });

    it('replaces the estimate by a record that arrives late', async () => {
      const mine = await owner();
      const ask = reservationRequest('a', {
        owner: mine,
        worstNanos: 30,
        expiresAt: budgets.clock.now() + 5000,
      });
      await decided(server.ledger, ask);
      await budgets.clock.advance(10_000);
      await server.flush();
      assert.deepEqual(await standing(mine), [30, 0]);
      await server.record(usageOf(ask, 12, JANUARY));
      await server.flush();
      assert.deepEqual(await standing(mine), [12, 0]);
      const records = await budgets.usage.list({ ...MINE, limit: 10 });
      assert.deepEqual(
        records.map(({ status, costNanos }) => [status, costNanos]),
        [['OK', 12]],
      );
      const { attempts, failures, costNanos } = await budgets.usage.total(MINE);
      assert.deepEqual([attempts, failures, costNanos], [1, 0, 12]);
    });

    it('posts to the month of the reservation, and starts a new month at zero', async () => {
      const mine = await owner({ timeZone: 'Asia/Kolkata' });
      // January ends five and a half hours earlier there than in UTC.
      const midnight = FEBRUARY_STARTS - 5.5 * 3_600_000;
      await budgets.clock.jump(midnight - 1 - budgets.clock.now());
      const last = reservationRequest('last', { owner: mine, worstNanos: 100 });
      assert.deepEqual(await decided(server.ledger, last), { kind: 'reserved', month: JANUARY });
      await budgets.clock.advance(1000);
      const first = reservationRequest('first', { owner: mine, worstNanos: 100 });
      assert.deepEqual(await decided(server.ledger, first), { kind: 'reserved', month: 202602 });
      await server.record(usageOf(last, 90, JANUARY));
      await server.flush();
      assert.deepEqual(await standing(mine), [0, 100]);
      const january = { organizationId: 'acme', kind: 'organization', scopeId: '' } as const;
      const { postedNanos } = await createBudgetStore(budgets.db).standing({
        ...january,
        month: JANUARY,
      });
      assert.equal(postedNanos, 90);
    });

    it('reports each threshold once a month', async () => {
      const mine = await owner({ organizationLimitNanos: 1000, keyLimitNanos: 5000 });
      for (const [id, cost] of Object.entries({ a: 499, b: 1, c: 10, d: 480, e: 10 })) {
        const ask = reservationRequest(id, { owner: mine, worstNanos: cost });
        await decided(server.ledger, ask);
        await server.record(usageOf(ask, cost, JANUARY));
        await server.flush();
      }
      assert.deepEqual(
        server.crossed.map(({ kind, percent, spentNanos }) => [kind, percent, spentNanos]),
        [
          ['organization', 50, 500],
          ['organization', 80, 990],
          ['organization', 90, 990],
          ['organization', 100, 1000],
        ],
      );
      const told = server.entries.filter(
        ({ type, level }) => type === 'capacity' && level === 'warn',
      );
      assert.equal(told.length, 4);
    });

    it('forecasts when the budget is exhausted, unless the month ends first', async () => {
      const mine = await owner({ organizationLimitNanos: 1000 });
      const spend = async (id: string, cost: number): Promise<void> => {
        const ask = reservationRequest(id, { owner: mine, worstNanos: cost });
        await decided(server.ledger, ask);
        const createdAt = budgets.clock.now();
        await server.record({ ...usageOf(ask, cost, JANUARY), createdAt });
        await server.flush();
      };
      await spend('a', 10);
      await budgets.clock.jump(10 * 3_600_000);
      const slow = await server.ledger.status(mine, 'organization');
      assert.equal(slow?.forecastExhaustedAt, undefined);
      await spend('b', 490);
      const fast = await server.ledger.status(mine, 'organization');
      assert.equal(fast?.forecastExhaustedAt, budgets.clock.now() + 10 * 3_600_000);
      assert.equal(fast?.resetAt, FEBRUARY_STARTS);
    });
  });
}

/** Lets the release be journalled, then stores it. */
async function settled(server: BudgetServer): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await server.flush();
}
