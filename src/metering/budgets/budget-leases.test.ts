import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { reservationRequest } from '../../../test/support/budgets/budget-ask.ts';
import { usageRecord } from '../../../test/support/budgets/usage-record.ts';
import { BudgetLeases, LOOK_MS, PAYS_MS } from './budget-leases.ts';
import { type BudgetReservation, newReservation } from './budget-reservation.ts';

const MONTH = 202601;
const LIMIT = 1_000_000;
const AMOUNT = 10;

function reservationOf(id: string, amountNanos = AMOUNT, month = MONTH): BudgetReservation {
  return newReservation(reservationRequest(id, { worstNanos: amountNanos }), month);
}

/** Sixteen ask, which is busy; then there is a wish. */
function makeBusy(leases: BudgetLeases, now: number, name = 'row') {
  for (let index = 0; index < 16; index += 1)
    assert.equal(leases.pay(reservationOf(`${name}${index}`), LIMIT, now), false);
  return leases.look(now + LOOK_MS);
}

function lent(amountNanos: number): BudgetLeases {
  const leases = new BudgetLeases();
  makeBusy(leases, 0);
  leases.granted(reservationOf('parcel', amountNanos), PAYS_MS);
  return leases;
}

test('whoever asks seldom asks the store each time', () => {
  const leases = new BudgetLeases();
  for (let index = 0; index < 15; index += 1) leases.pay(reservationOf(`a${index}`), LIMIT, 0);
  assert.deepEqual(leases.look(LOOK_MS), []);
  assert.deepEqual(leases.look(2 * LOOK_MS), []);
  assert.equal(leases.isIdle, true);
});

test('who is busy gets as much as is asked for in the time that a parcel pays', () => {
  const [wish] = makeBusy(new BudgetLeases(), 0);
  assert.deepEqual(wish, {
    organizationId: 'acme',
    month: MONTH,
    limitNanos: LIMIT,
    wantedNanos: (16 * AMOUNT * PAYS_MS) / LOOK_MS,
    leastNanos: 16 * AMOUNT,
  });
});

test('one wish at a time, and after a denial none for a second', () => {
  const leases = new BudgetLeases();
  assert.equal(makeBusy(leases, 0, 'a').length, 1);
  assert.equal(makeBusy(leases, 250, 'b').length, 0);
  leases.denied('acme', 500);
  assert.equal(makeBusy(leases, 500, 'c').length, 0);
  assert.equal(makeBusy(leases, 1500, 'd').length, 1);
});

test('a parcel pays until its money, its time or its month is up', () => {
  const leases = lent(25);
  assert.equal(leases.pay(reservationOf('a'), LIMIT, 300), true);
  assert.equal(leases.pay(reservationOf('next month', AMOUNT, MONTH + 1), LIMIT, 300), false);
  assert.equal(leases.pay(reservationOf('b'), LIMIT, 300), true);
  assert.equal(leases.pay(reservationOf('c'), LIMIT, 300), false);
  leases.settle('a', 4);
  assert.equal(leases.pay(reservationOf('d'), LIMIT, PAYS_MS - 1), true);
  leases.release('d');
  assert.equal(leases.pay(reservationOf('e'), LIMIT, PAYS_MS), false);
});

test('it is done when it is retired and the store knows of all that it paid for', () => {
  const leases = lent(100);
  for (const id of ['ended', 'lasts', 'never made']) leases.pay(reservationOf(id), LIMIT, 300);
  leases.look(500);
  leases.look(750);
  assert.deepEqual(leases.takeDone(), []);
  leases.release('never made');
  leases.settle('ended', 3);
  assert.deepEqual([leases.isOpen('ended'), leases.isOpen('lasts')], [false, true]);
  leases.stored([usageRecord('ended')], []);
  assert.deepEqual(leases.takeDone(), []);
  leases.stored([], [reservationOf('lasts')]);
  assert.deepEqual(leases.takeDone(), ['parcel']);
  assert.deepEqual([leases.takeDone(), leases.isIdle], [[], true]);
});

test('what others are short of pays no more; what nobody uses is given back on request', () => {
  const short = lent(100);
  short.retire('acme', 300);
  assert.equal(short.pay(reservationOf('a'), LIMIT, 300), false);
  const unused = lent(100);
  unused.pay(reservationOf('a'), LIMIT, 300);
  unused.retireUnused('acme');
  assert.equal(unused.pay(reservationOf('b'), LIMIT, 300), true);
  unused.settle('a', 1);
  unused.settle('b', 1);
  unused.retireUnused('acme');
  assert.equal(unused.pay(reservationOf('c'), LIMIT, 300), false);
});

test('a parcel that comes when nobody asks any more is given back unused', () => {
  const leases = new BudgetLeases();
  makeBusy(leases, 0);
  leases.retireAll();
  leases.granted(reservationOf('parcel', 100), PAYS_MS);
  assert.deepEqual(leases.takeDone(), ['parcel']);
});

type Step = { readonly what: string; readonly which: number; readonly amount: number };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    what: fc.constantFrom(
      'pay',
      'pay',
      'pay',
      'settle',
      'release',
      'store',
      'open',
      'look',
      'grant',
    ),
    which: fc.nat(),
    amount: fc.integer({ min: 1, max: 40 }),
  }),
  { maxLength: 200 },
);

test('what was paid for and the store does not know is never more than the parcels it reservations', () => {
  fc.assert(fc.property(steps, playThrough));
});

/** Plays the ledger, the drain and the store; after each step the store reservations at least what is unknown to it. */
function playThrough(script: readonly Step[]): void {
  const leases = new BudgetLeases();
  /** The parcels that the store reservations, and what it does not know of: open attempts and what ended ones cost. */
  const parcels = new Map<string, number>();
  const unknown = new Map<string, { nanos: number; isOpen: boolean }>();
  let now = 0;
  let wishes = 0;
  const idAt = (which: number) => [...unknown.keys()][which % Math.max(1, unknown.size)] ?? '';
  const moves: Record<string, (which: number, amount: number) => void> = {
    pay(_, amount) {
      for (let copy = 0; copy < 16; copy += 1) {
        const id = `a${(now += 1)}`;
        if (leases.pay(reservationOf(id, amount), LIMIT, now))
          unknown.set(id, { nanos: amount, isOpen: true });
      }
    },
    settle(which, amount) {
      const id = idAt(which);
      const attempt = unknown.get(id);
      if (!attempt?.isOpen) return;
      attempt.isOpen = false;
      attempt.nanos = Math.min(attempt.nanos, amount);
      leases.settle(id, attempt.nanos);
    },
    release(which) {
      const id = idAt(which);
      if (!unknown.get(id)?.isOpen) return;
      unknown.delete(id);
      leases.release(id);
    },
    store(which) {
      const id = idAt(which);
      if (unknown.get(id)?.isOpen !== false) return;
      unknown.delete(id);
      leases.stored([usageRecord(id)], []);
    },
    open(which) {
      const id = idAt(which);
      if (!unknown.get(id)?.isOpen) return;
      unknown.delete(id);
      leases.stored([], [reservationOf(id)]);
    },
    look() {
      now += LOOK_MS;
      wishes += leases.look(now).length;
      for (const id of leases.takeDone()) assert.ok(parcels.delete(id));
    },
    grant(_, amount) {
      if (wishes === 0) return;
      wishes -= 1;
      const id = `p${(now += 1)}`;
      parcels.set(id, amount * 5);
      leases.granted(reservationOf(id, amount * 5), now + PAYS_MS);
    },
  };
  for (const { what, which, amount } of script) {
    moves[what]?.(which, amount);
    const reserved = [...parcels.values()].reduce((sum, nanos) => sum + nanos, 0);
    const paid = [...unknown.values()].reduce((sum, { nanos }) => sum + nanos, 0);
    assert.ok(paid <= reserved, `${paid} are on their way and ${reserved} are reserved`);
    for (const [id, { isOpen }] of unknown) assert.equal(leases.isOpen(id), isOpen);
  }
  // In the end everything is given back.
  leases.retireAll();
  for (const id of unknown.keys()) leases.stored([usageRecord(id)], []);
  assert.deepEqual(new Set(leases.takeDone()), new Set(parcels.keys()));
  assert.equal(leases.isIdle, true);
}
