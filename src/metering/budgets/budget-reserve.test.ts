import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { reservationRequest } from '../../../test/support/budgets/budget-ask.ts';
import { accountsOf, type BudgetReservation, newReservation } from './budget-reservation.ts';
import { BudgetReserve } from './budget-reserve.ts';

const MONTH = 202601;
const ENDS_AT = 10_000;

test('no more is spent than was set aside, and what was not used can be spent again', () => {
  const reserve = granted(100);
  assert.equal(reserve.take(reservationOf('a', 60), 0), true);
  assert.equal(reserve.take(reservationOf('b', 41), 0), false);
  assert.equal(reserve.isOpen('a'), true);
  reserve.end('a', 10);
  assert.equal(reserve.isOpen('a'), false);
  assert.equal(reserve.take(reservationOf('b', 90), 0), true);
  assert.equal(reserve.take(reservationOf('c', 1), 0), false);
});

test('nothing is spent after its end, or for somebody for whom nothing was set aside', () => {
  const reserve = granted(100);
  assert.equal(reserve.take(reservationOf('a', 1), ENDS_AT), false);
  assert.equal(reserve.take(reservationOf('b', 1, true), 0), false);
});

test('whoever has not asked for long is wished for no more', () => {
  const reserve = new BudgetReserve();
  reserve.touch(reservationOf('a', 1), 0);
  assert.deepEqual(reserve.wishes(1000), accountsOf(reservationOf('a', 1)));
  assert.deepEqual(reserve.wishes(3_600_000), []);
});

test('an attempt that ends after a new beginning gives nothing back a second time', () => {
  const reserve = granted(100);
  reserve.take(reservationOf('a', 60), 0);
  renew(reserve, 50);
  reserve.take(reservationOf('b', 50), 0);
  reserve.end('a', 0);
  assert.equal(reserve.take(reservationOf('c', 1), 0), false);
});

test('whatever is taken and ended, the costs and what is open never pass what was set aside', () => {
  const step = fc.record({
    amount: fc.nat(40),
    ends: fc.boolean(),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const property = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    const reserve = granted(100);
    let total = 0;
    steps.forEach(({ amount, ends, part }, index) => {
      const reservation = reservationOf(`a${index}`, amount);
      if (!reserve.take(reservation, 0)) return;
      const cost = ends ? Math.floor(amount * part) : amount;
      if (ends) reserve.end(reservation.id, cost);
      total += cost;
      assert.ok(total <= 100);
    });
  });
  fc.assert(property);
});

function granted(nanos: number): BudgetReserve {
  const reserve = new BudgetReserve();
  reserve.touch(reservationOf('first', 1), 0);
  renew(reserve, nanos);
  return reserve;
}

function renew(reserve: BudgetReserve, amountNanos: number): void {
  const reserves = reserve.wishes(0).map((account) => ({ ...account, amountNanos }));
  reserve.renew(reserves, ENDS_AT);
}

function reservationOf(id: string, amount: number, reservesKey = false): BudgetReservation {
  return { ...newReservation(reservationRequest(id, { worstNanos: amount }), MONTH), reservesKey };
}
