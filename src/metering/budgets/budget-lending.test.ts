import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reservationRequest } from '../../../test/support/budgets/budget-ask.ts';
import { usageRecord } from '../../../test/support/budgets/usage-record.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import type { JournalEntry } from '../usage/journal-entry.ts';
import { LOOK_MS } from './budget-leases.ts';
import { BudgetLending } from './budget-lending.ts';
import { type BudgetReservation, newReservation } from './budget-reservation.ts';

const AMOUNT = 10;
const BUSY_ASKS = 16;
/** What a parcel for two seconds of it is, and a hundred times that: plenty. */
const PARCEL = BUSY_ASKS * AMOUNT * 8;
const PLENTY = 100 * PARCEL;

function rig(limitNanos: number, { isRefused = false, isAway = false, isSilent = false } = {}) {
  const clock = createTestClock();
  const entries: JournalEntry[] = [];
  const reserved: BudgetReservation[] = [];
  const lending = new BudgetLending({
    store: {
      standing: async () => ({ postedNanos: 0, reservedNanos: 0 }),
      reserveAll: async (reservations) => {
        reserved.push(...reservations);
        if (isSilent) throw new Error('no answer came');
        if (!isRefused) return [];
        return [
          { place: 0, answer: 'short', scope: 'organization', limitNanos, spentNanos: 0 } as const,
        ];
      },
    },
    reserve: { touch() {} },
    journal: { isWritable: () => true },
    append(entry, onWritten) {
      entries.push(entry);
      onWritten();
    },
    flush: async () => {},
    clock,
    isAway: () => isAway,
  });
  const pay = (id: string) => {
    const reservation = newReservation(reservationRequest(id, { worstNanos: AMOUNT }), 202601);
    return lending.pay(reservation, limitNanos, () => {}) !== undefined;
  };
  async function makeBusy(name: string): Promise<boolean[]> {
    const paid = Array.from({ length: BUSY_ASKS }, (_, index) => pay(`${name}${index}`));
    await clock.advance(LOOK_MS);
    return paid;
  }
  const idsOf = (kind: 'lease' | 'release') =>
    entries.flatMap((entry) => (entry.kind === kind ? [entry.id] : []));
  return { clock, lending, entries, reserved, pay, makeBusy, idsOf };
}

test('who is busy and has plenty is paid from what was taken, which is in the journal first', async () => {
  const { reserved, pay, makeBusy, idsOf } = rig(PLENTY);
  assert.ok((await makeBusy('row')).every((isPaid) => !isPaid));
  assert.deepEqual(
    reserved.map(({ id, amountNanos }) => [id, amountNanos]),
    [[idsOf('lease')[0], PARCEL]],
  );
  assert.equal(pay('lent'), true);
});

test('near the end of a budget nothing is lent', async () => {
  const { reserved, pay, makeBusy } = rig(100 * BUSY_ASKS * AMOUNT - 100);
  await makeBusy('row');
  assert.deepEqual([reserved.length, pay('row')], [0, false]);
});

test('a store that is away is not asked', async () => {
  const { reserved, makeBusy } = rig(PLENTY, { isAway: true });
  await makeBusy('row');
  assert.equal(reserved.length, 0);
});

test('what the store refuses is not lent, and of no more concern', async () => {
  const { lending, entries, pay, makeBusy, idsOf } = rig(PLENTY, { isRefused: true });
  await makeBusy('row');
  assert.equal(pay('row'), false);
  assert.deepEqual(
    entries.map(({ kind }) => kind),
    ['lease'],
  );
  assert.equal(lending.isOpen(idsOf('lease')[0] ?? ''), false);
});

test('what the store does not answer for is void, because it may be reserved all the same', async () => {
  const { entries, reserved, pay, makeBusy } = rig(PLENTY, { isSilent: true });
  await makeBusy('row');
  assert.equal(pay('row'), false);
  assert.deepEqual(entries.slice(1), [{ kind: 'void', reservation: reserved[0] }]);
});

test('a close gives back what is out when the store knows of all that it paid for', async () => {
  const { lending, pay, makeBusy, idsOf } = rig(PLENTY);
  await makeBusy('row');
  pay('lent');
  const record = usageRecord('lent', { costNanos: 4 });
  lending.settle(record);
  lending.stored([record], []);
  await lending.close();
  assert.equal(idsOf('lease').length, 1);
  assert.deepEqual(idsOf('release'), idsOf('lease'));
  assert.equal(pay('late'), false);
});

test('when somebody is short of money, what is not in use is given back at once', async () => {
  const { lending, makeBusy, idsOf } = rig(PLENTY);
  await makeBusy('row');
  lending.stop('acme');
  await lending.flush('acme');
  assert.equal(idsOf('lease').length, 1);
  assert.deepEqual(idsOf('release'), idsOf('lease'));
});
