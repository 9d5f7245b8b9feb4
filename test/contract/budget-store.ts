// The contracts of the ports BudgetStore and SharedBudgetStore. The test of each adapter calls them with its own store.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import {
  RESERVATION_COLUMNS,
  USAGE_COLUMNS,
} from '../../src/adapters/sql/metering/record-columns.ts';
import type { SqlStore } from '../../src/adapters/sql/sql-dialect.ts';
import type { AccountName } from '../../src/metering/budgets/budget-account.ts';
import {
  type BudgetReservation,
  newReservation,
} from '../../src/metering/budgets/budget-reservation.ts';
import type { BudgetStore } from '../../src/metering/budgets/budget-store.ts';
import type {
  AllotmentRequest,
  SharedBudgetStore,
} from '../../src/metering/budgets/shared-budget-store.ts';
import type { UsageStore } from '../../src/metering/usage/usage-store.ts';
import { budgetOwner, reservationRequest } from '../support/budgets/budget-ask.ts';
import { storeOwner } from '../support/budgets/budget-rig.ts';
import { usageRecord } from '../support/budgets/usage-record.ts';

export type OpenedBudgetStore = SqlStore & {
  readonly budgets: BudgetStore;
  readonly usage: UsageStore;
  close(): Promise<void>;
};

const MONTH = 202_601;
const HOUR_MS = 3_600_000;
const LIMIT = 10_000;
const ORGANIZATION: AccountName = {
  organizationId: 'acme',
  kind: 'organization',
  scopeId: '',
  month: MONTH,
};

function reservationOf(id: string, amountNanos: number): BudgetReservation {
  return newReservation(reservationRequest(id, { worstNanos: amountNanos }), MONTH);
}

export function budgetStoreContract(adapter: string, open: () => Promise<OpenedBudgetStore>): void {
  describe(`budgets on ${adapter}`, () => {
    let opened: OpenedBudgetStore;
    beforeEach(async () => {
      opened = await open();
      await storeOwner(opened, budgetOwner({ organizationLimitNanos: LIMIT }));
    });
    afterEach(() => opened.close());

    it('has the columns of records in the order of their fields', async () => {
      const tables = await opened.db.introspection.getTables();
      const columnsOf = (name: string) =>
        tables.find((table) => table.name === name)?.columns.map((column) => column.name);
      assert.deepEqual(columnsOf('usage_records'), USAGE_COLUMNS);
      assert.deepEqual(columnsOf('budget_reservations'), [...RESERVATION_COLUMNS, 'is_void']);
    });

    it('reports an unused budget as zero', async () => {
      const standing = await opened.budgets.standing(ORGANIZATION);
      assert.deepEqual(standing, { postedNanos: 0, reservedNanos: 0 });
    });

    it('posts a record to its organisation, key and user in its budget month', async () => {
      const record = usageRecord('a', { costNanos: 7, userId: 'ann', budgetMonth: MONTH });
      await opened.usage.insertBatch([record]);
      const postedTo = async (given: Partial<AccountName>) =>
        (await opened.budgets.standing({ ...ORGANIZATION, ...given })).postedNanos;
      assert.equal(await postedTo({}), 7);
      assert.equal(await postedTo({ kind: 'key', scopeId: record.keyId }), 7);
      assert.equal(await postedTo({ kind: 'user', scopeId: 'ann' }), 7);
      assert.equal(await postedTo({ month: MONTH + 1 }), 0);
    });

    it('returns stored reservations unchanged, in the order of their expiry', async () => {
      const later = { ...reservationOf('later', 1), userId: 'ann', reservesUser: true };
      const sooner = { ...reservationOf('sooner', 2), expiresAt: later.expiresAt - 1 };
      await opened.usage.insertBatch([], { opened: [later, sooner] });
      assert.deepEqual(await opened.budgets.openReservations(), [sooner, later]);
    });

    it('does not store a reservation after the record of its attempt', async () => {
      await opened.usage.insertBatch([usageRecord('a')]);
      await opened.usage.insertBatch([], { opened: [reservationOf('a', 1)] });
      assert.deepEqual(await opened.budgets.openReservations(), []);
    });

    it('sums the cost since the start of an hour, of all months', async () => {
      const start = Date.UTC(2026, 0, 31, 23);
      const at = (id: string, createdAt: number, budgetMonth: number) =>
        usageRecord(id, { costNanos: 5, createdAt, budgetMonth });
      const records = [
        at('before', start - 1, MONTH),
        at('first', start, MONTH),
        at('next', start + HOUR_MS, MONTH + 1),
      ];
      await opened.usage.insertBatch(records);
      const since = (from: number, given: Partial<AccountName> = {}) =>
        opened.budgets.spentSince({ ...ORGANIZATION, ...given }, from);
      assert.deepEqual(await since(start + 1), { costNanos: 10, firstAt: start });
      assert.deepEqual(await since(start + 2 * HOUR_MS), { costNanos: 0, firstAt: undefined });
      const other = { kind: 'key', scopeId: 'other' } as const;
      assert.equal((await since(start, other)).costNanos, 0);
    });
  });
}

export type OpenedSharedStore = OpenedBudgetStore & { readonly shared: SharedBudgetStore };

export function sharedBudgetStoreContract(
  adapter: string,
  open: () => Promise<OpenedSharedStore>,
): void {
  describe(`shared budgets on ${adapter}`, () => {
    let opened: OpenedSharedStore;
    let version = 0;
    const now = Date.UTC(2026, 0, 15, 12);
    beforeEach(async () => {
      opened = await open();
      await storeOwner(opened, budgetOwner({ organizationLimitNanos: LIMIT }));
      await opened.shared.reserveAll([reservationOf('first', 1)], now);
      await opened.usage.insertBatch([], { closed: ['first'] });
    });
    afterEach(() => opened.close());

    function requestOf(id: string, given: Partial<AllotmentRequest> = {}): AllotmentRequest {
      const base = { id, account: ORGANIZATION, purpose: 'standby' } as const;
      return { ...base, floorNanos: 0, wantedNanos: 0, expiresAt: now + 10_000, ...given };
    }
    const workingOf = (id: string, wantedNanos: number, floorNanos = 0) =>
      requestOf(id, { purpose: 'working', wantedNanos, floorNanos });

    async function renew(serverId: string, ...requests: readonly AllotmentRequest[]) {
      version += 1;
      const grants = await opened.shared.renewAllotments(serverId, requests, version, now);
      return Object.fromEntries(grants.map(({ id, amountNanos }) => [id, amountNanos]));
    }

    /** What a reservation of the whole limit lacks: the posted, reserved and allotted amounts. */
    async function usedNanos(): Promise<number> {
      const rows = await opened.db
        .selectFrom('budget_periods')
        .select(['posted_nanos', 'reserved_nanos'])
        .where('kind', '=', 'organization')
        .execute();
      return rows.reduce(
        (sum, row) => sum + Number(row.posted_nanos) + Number(row.reserved_nanos),
        0,
      );
    }

    it('sizes a standby allotment by the limit and a working one by demand', async () => {
      assert.deepEqual(await renew('srv', requestOf('s'), workingOf('w', 30)), { s: 200, w: 30 });
      assert.equal(await usedNanos(), 230);
      // At most a hundredth of the unreserved amount; nothing if that is less than an eighth of the demand.
      assert.deepEqual(await renew('other', workingOf('x', 700)), { x: 97 });
      assert.deepEqual(await renew('third', workingOf('y', 800)), { y: 0 });
    });

    it('never grants less than the floor, and leaves allotments out of a standing', async () => {
      await renew('srv', requestOf('s'), workingOf('w', 30));
      assert.deepEqual(
        await renew('srv', requestOf('s', { floorNanos: 150 }), workingOf('w', 0, 12)),
        {
          s: 150,
          w: 12,
        },
      );
      const { reservedNanos } = await opened.budgets.standing(ORGANIZATION);
      assert.equal(reservedNanos, 0);
      await renew('srv', workingOf('w', 0, 12));
      assert.equal(await usedNanos(), 12);
      await renew('srv');
      assert.equal(await usedNanos(), 0);
    });

    it('ignores a renewal that arrives after a later one', async () => {
      await renew('srv', workingOf('w', 30));
      const late = version;
      await renew('srv', workingOf('w', 50, 30));
      assert.deepEqual(
        await opened.shared.renewAllotments('srv', [workingOf('w', 9)], late, now),
        [],
      );
      assert.equal(await usedNanos(), 50);
    });

    it('grants nothing and reports the shortage after a request was refused as short', async () => {
      await renew('srv', requestOf('s'));
      const [refusal] = await opened.shared.reserveAll([reservationOf('large', LIMIT)], now);
      assert.equal(refusal?.answer, 'short');
      const request = requestOf('s', { floorNanos: 200 });
      const [grant] = await opened.shared.renewAllotments('srv', [request], (version += 1), now);
      assert.deepEqual(grant, { id: 's', amountNanos: 200, isShort: true });
      assert.deepEqual(await renew('srv', requestOf('s')), { s: 0 });
      assert.deepEqual(await opened.shared.reserveAll([reservationOf('large', LIMIT)], now), []);
    });

    it('charges an expired working allotment and releases an expired standby one', async () => {
      await renew('srv', requestOf('s'), workingOf('w', 30));
      await opened.shared.settleExpired(now + 20_000, 0, 10);
      assert.equal(await usedNanos(), 230);
      assert.equal((await opened.budgets.standing(ORGANIZATION)).postedNanos, 30);
      await opened.shared.settleExpired(now + 20_000, now + 20_000, 10);
      assert.equal(await usedNanos(), 30);
      // The restarted server releases its allotment: the estimate is removed.
      await opened.usage.insertBatch([], { closed: ['w'] });
      assert.equal(await usedNanos(), 0);
    });

    it('releases an allotment that its server closes', async () => {
      await renew('srv', workingOf('w', 30));
      await opened.usage.insertBatch([], { closed: ['w'] });
      assert.equal(await usedNanos(), 0);
    });
  });
}
