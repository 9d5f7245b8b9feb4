// The contract of the port UsageStore. The test of each adapter calls it with its own store.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { newReservation } from '../../src/metering/budgets/budget-reservation.ts';
import type { BudgetStore } from '../../src/metering/budgets/budget-store.ts';
import type { UsageRecord } from '../../src/metering/usage/usage-record.ts';
import type { UsageStore } from '../../src/metering/usage/usage-store.ts';
import { reservationRequest } from '../support/budgets/budget-ask.ts';

export type OpenedUsageStore = {
  readonly usage: UsageStore;
  readonly budgets: Pick<BudgetStore, 'openReservations'>;
  addOrganization(id: string): Promise<unknown>;
  close(): Promise<void>;
};

const DAY_MS = 86_400_000;
const MAX_GROUPS = 20;
const MIDNIGHT = Date.UTC(2026, 2, 1);
const EVER = { from: 0, to: 4_000_000_000_000 };
const MINE = { organizationId: 'acme', ...EVER };

export function usageStoreContract(adapter: string, open: () => Promise<OpenedUsageStore>): void {
  describe(`usage on ${adapter}`, () => {
    let opened: OpenedUsageStore;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    it('returns every field unchanged', async () => {
      const full = usage('full', {
        userId: 'user ☂',
        category: 'quick',
        cacheWrite1hTokens: 6,
        reasoningTokens: 7,
        costNanos: 8_000_000_000_000,
        status: 'NETWORK_TIMEOUT',
        streamed: true,
        estimated: true,
        budgetMonth: 202602,
        firstContentMs: 9,
      });
      const bare = usage('bare', { createdAt: full.createdAt - 1, budgetMonth: 202603 });
      await opened.usage.insertBatch([full, bare]);
      assert.deepEqual(await opened.usage.list({ ...MINE, limit: 10 }), [full, bare]);
    });

    it('keeps a reservation until it is closed, voided or settled by its record', async () => {
      const { usage: store, budgets } = opened;
      const reservations = ['closed', 'void', 'used', 'kept'].map((id) =>
        newReservation(reservationRequest(id), 202_601),
      );
      await store.insertBatch([], { opened: reservations });
      assert.equal((await budgets.openReservations()).length, 4);
      const voided = reservations.filter(({ id }) => id === 'void');
      await store.insertBatch([usage('used')], { closed: ['closed', 'used'], voided });
      assert.deepEqual(
        (await budgets.openReservations()).map(({ id }) => id),
        ['kept'],
      );
    });

    it('counts a record once, however often and in whatever batch it is delivered', async () => {
      const { usage: store } = opened;
      assert.equal((await store.insertBatch([usage('a'), usage('b')])).stored, 2);
      assert.equal((await store.insertBatch([usage('b'), usage('c'), usage('c')])).stored, 1);
      assert.equal((await store.insertBatch([])).stored, 0);
      const total = await store.total(MINE);
      assert.equal(total.attempts, 3);
      assert.equal(total.costNanos, 3000);
      assert.equal(total.cacheWriteTokens, 3 * 4);
    });

    it('stores a batch larger than one statement', async () => {
      const records = Array.from({ length: 2500 }, (_, index) => usage(`many-${index}`));
      assert.equal((await opened.usage.insertBatch(records)).stored, 2500);
      assert.equal((await opened.usage.total(EVER)).attempts, 2500);
    });

    it('stores the new records of a large batch once each, wherever the known ones are', async () => {
      const { usage: store } = opened;
      const known = Array.from({ length: 40 }, (_, index) => usage(`known-${index}`));
      const fresh = Array.from({ length: 40 }, (_, index) => usage(`fresh-${index}`));
      await store.insertBatch(known);
      const mixed = fresh.flatMap((record, index) => [known[index] ?? record, record]);
      assert.equal((await store.insertBatch([...mixed, ...fresh])).stored, fresh.length);
      assert.equal((await store.insertBatch(mixed)).stored, 0);
      assert.equal((await store.total(EVER)).attempts, known.length + fresh.length);
    });

    it('stores nothing of a batch that fails', async () => {
      const broken = { ...usage('broken'), organizationId: null as unknown as string };
      await assert.rejects(opened.usage.insertBatch([usage('whole'), broken]));
      assert.deepEqual(await opened.usage.list({ ...MINE, limit: 10 }), []);
      assert.equal((await opened.usage.total(EVER)).attempts, 0);
    });

    it('sums the records of one organisation and range', async () => {
      await opened.usage.insertBatch([
        usage('mine'),
        usage('theirs', { organizationId: 'other' }),
        usage('next day', { createdAt: MIDNIGHT + DAY_MS }),
      ]);
      const range = { organizationId: 'acme', from: MIDNIGHT, to: MIDNIGHT + DAY_MS };
      assert.equal((await opened.usage.total(range)).attempts, 1);
      assert.equal((await opened.usage.list({ ...range, limit: 10 })).length, 1);
      assert.equal((await opened.usage.total({ ...range, organizationId: 'none' })).attempts, 0);
    });

    it('sums to the millisecond if a range begins or ends within an hour', async () => {
      const at = (minute: number) => MIDNIGHT + minute * 60_000;
      await opened.usage.insertBatch([
        usage('before', { createdAt: at(10) }),
        usage('first', { createdAt: at(30), userId: 'u', cacheWrite1hTokens: 3 }),
        usage('whole hour', { createdAt: at(90), status: 'INTERNAL' }),
        usage('last', { createdAt: at(150) - 1, organizationId: 'other' }),
        usage('after', { createdAt: at(150) }),
      ]);
      const asked = { from: at(30), to: at(150) };
      const range = await opened.usage.covered(asked, at(600));
      assert.deepEqual(range, asked);
      assert.partialDeepStrictEqual(await opened.usage.total(range), {
        attempts: 3,
        failures: 1,
        cacheWriteTokens: 15,
        costNanos: 3000,
      });
      const byUser = await opened.usage.sums(
        { ...range, organizationId: 'acme' },
        'user',
        MAX_GROUPS,
      );
      assert.deepEqual(new Set(byUser.map(({ group }) => group)), new Set(['u', '']));
      const within = { from: at(31), to: at(59) };
      assert.equal((await opened.usage.total(within)).attempts, 0);
      assert.equal((await opened.usage.total({ from: at(5), to: at(31) })).attempts, 2);
      assert.equal((await opened.usage.total({ from: at(30), to: at(30) })).attempts, 0);
    });

    it('sums whole hours with many records, the current hour included', async () => {
      const many = Array.from({ length: 2001 }, (_, index) => usage(`many-${index}`));
      await opened.usage.insertBatch(many);
      const asked = { organizationId: 'acme', from: MIDNIGHT + 5000, to: MIDNIGHT + 6000 };
      const covered = await opened.usage.covered(asked, MIDNIGHT + DAY_MS);
      assert.deepEqual(covered, { ...asked, from: MIDNIGHT, to: MIDNIGHT + 3_600_000 });
      assert.equal((await opened.usage.total(covered)).attempts, 2001);
      const present = { ...asked, organizationId: 'none' };
      assert.deepEqual(await opened.usage.covered(present, asked.to), {
        ...present,
        to: MIDNIGHT + 3_600_000,
      });
    });

    it('groups by model, highest cost first, and counts failures', async () => {
      await opened.usage.insertBatch([
        usage('1', { model: 'cheap', costNanos: 1 }),
        usage('2', { model: 'dear', costNanos: 5, status: 'INTERNAL' }),
        usage('3', { model: 'dear', costNanos: 5, status: 'CLIENT_GONE' }),
      ]);
      const sums = await opened.usage.sums(MINE, 'model', MAX_GROUPS);
      assert.deepEqual(
        sums.map((sum) => [sum.group, sum.attempts, sum.failures, sum.costNanos]),
        [
          ['dear', 2, 1, 10],
          ['cheap', 1, 0, 1],
        ],
      );
    });

    it('lists the most expensive users up to a maximum, and counts all users in the total', async () => {
      const count = MAX_GROUPS + 5;
      const records = Array.from({ length: count }, (_, at) =>
        usage(`many-${at}`, { userId: `user-${at}`, costNanos: at }),
      );
      await opened.usage.insertBatch(records);
      const sums = await opened.usage.sums(EVER, 'user', MAX_GROUPS);
      assert.equal(sums.length, MAX_GROUPS);
      assert.deepEqual([sums.at(0)?.group, sums.at(-1)?.group], [`user-${count - 1}`, 'user-5']);
      assert.equal((await opened.usage.total(EVER)).attempts, count);
    });

    it('groups by user and by day, with absent users in one group', async () => {
      await opened.usage.insertBatch([
        usage('1', { createdAt: MIDNIGHT + DAY_MS, userId: 'u', costNanos: 9 }),
        usage('2', { createdAt: MIDNIGHT + 5 }),
        usage('3', { createdAt: MIDNIGHT + DAY_MS - 1 }),
      ]);
      const byDay = await opened.usage.sums(EVER, 'day', MAX_GROUPS);
      assert.deepEqual(
        byDay.map((sum) => [sum.group, sum.attempts]),
        [
          [MIDNIGHT, 2],
          [MIDNIGHT + DAY_MS, 1],
        ],
      );
      const byUser = await opened.usage.sums(EVER, 'user', MAX_GROUPS);
      assert.deepEqual(
        byUser.map((sum) => [sum.group, sum.attempts]),
        [
          ['', 2],
          ['u', 1],
        ],
      );
    });

    it('deletes old records in batches and keeps their roll-ups', async () => {
      const old = Array.from({ length: 5 }, (_, index) => usage(`old-${index}`));
      await opened.usage.insertBatch([...old, usage('new', { createdAt: MIDNIGHT + DAY_MS })]);
      await opened.addOrganization('acme');
      assert.equal(await opened.usage.forget(MIDNIGHT + DAY_MS, 3), 3);
      assert.equal(await opened.usage.forget(MIDNIGHT + DAY_MS, 3), 2);
      assert.equal(await opened.usage.forget(MIDNIGHT + DAY_MS, 3), 0);
      const left = await opened.usage.list({ ...MINE, limit: 10 });
      assert.deepEqual(
        left.map(({ id }) => id),
        ['new'],
      );
      assert.equal((await opened.usage.total(MINE)).attempts, 6);
    });

    it('lists pages newest first, each record once', async () => {
      const records = ['a', 'b', 'c', 'd', 'e'].map((id) => usage(id));
      await opened.usage.insertBatch(records);
      const seen: string[] = [];
      let before: { createdAt: number; id: string } | undefined;
      for (let page = 0; page < 4; page += 1) {
        const listed = await opened.usage.list({ ...MINE, limit: 2, ...(before && { before }) });
        seen.push(...listed.map((record) => record.id));
        before = listed.at(-1) ?? before;
      }
      assert.deepEqual(seen, ['e', 'd', 'c', 'b', 'a']);
    });
  });
}

function usage(id: string, given: Partial<UsageRecord> = {}): UsageRecord {
  return {
    id,
    requestId: `req_${id}`,
    attempt: 1,
    organizationId: 'acme',
    keyId: 'key_1',
    userId: undefined,
    provider: 'anthropic',
    model: 'claude-sonnet-4',
    inputTokens: 1,
    outputTokens: 2,
    cacheReadTokens: 3,
    cacheWriteTokens: 4,
    cacheWrite1hTokens: 0,
    reasoningTokens: 0,
    costNanos: 1000,
    category: undefined,
    latencyMs: 12,
    status: 'OK',
    streamed: false,
    estimated: false,
    createdAt: MIDNIGHT + 1000,
    ...given,
  };
}
