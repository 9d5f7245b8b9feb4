import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { usageRecord } from '../../../test/support/budgets/usage-record.ts';
import { type BookRequest, BudgetBook, type Charge } from './budget-book.ts';
import type { BudgetReservation } from './budget-reservation.ts';

const MONTH = 202601;

test('a request above the unspent amount is refused, one above the unreserved amount waits', () => {
  const { book, request, charge } = rig(100);
  assert.equal(book.reserve(request('a', 60)), 'reserved');
  assert.deepEqual(book.reserve(request('b', 101)), charge);
  assert.equal(book.reserve(request('c', 41)), 'waiting');
  assert.deepEqual([charge.account.reservedNanos, charge.account.postedNanos], [60, 0]);
});

test('waiting requests are decided in order when a reservation is settled', () => {
  const { book, request, told, settle } = rig(100);
  book.reserve(request('a', 100));
  assert.equal(book.reserve(request('b', 50)), 'waiting');
  assert.equal(book.reserve(request('c', 20)), 'waiting');
  assert.equal(book.reserve(request('d', 31)), 'waiting');
  settle('a', 30);
  assert.deepEqual(told, ['b reserved', 'c reserved']);
  settle('b', 50);
  assert.deepEqual(told, ['b reserved', 'c reserved', 'd exceeded']);
});

test('a small request does not overtake a waiting one', () => {
  const { book, request, told } = rig(100);
  book.reserve(request('a', 60));
  assert.equal(book.reserve(request('large', 90)), 'waiting');
  assert.equal(book.reserve(request('small', 1)), 'waiting');
  book.release('a');
  assert.deepEqual(told, ['large reserved', 'small reserved']);
});

test('a request is decided when the one before it is withdrawn', () => {
  const { book, request, told, charge } = rig(100);
  book.reserve(request('a', 60));
  const large = request('large', 90);
  book.reserve(large);
  book.reserve(request('small', 40));
  assert.equal(book.withdraw(large), charge);
  assert.equal(book.withdraw(large), undefined);
  assert.deepEqual(told, ['small reserved']);
});

test('a request that waits for a key or a user does not block other requests', () => {
  const book = new BudgetBook();
  const organization = chargeOf(book, 'organization', '', 100);
  const key = chargeOf(book, 'key', 'k', 10);
  const told: string[] = [];
  book.reserve(askOf('a', 10, [organization, key], told));
  assert.equal(book.reserve(askOf('b', 10, [organization, key], told)), 'waiting');
  assert.equal(book.reserve(askOf('c', 90, [organization], told)), 'reserved');
  book.release('a');
  assert.deepEqual(told, ['b reserved']);
  assert.equal(organization.account.reservedNanos, 100);
  assert.equal(key.account.reservedNanos, 10);
});

test('a request refused by one budget reserves nothing in another', () => {
  const book = new BudgetBook();
  const charges = [
    chargeOf(book, 'organization', '', 100),
    chargeOf(book, 'key', 'k', 10),
    chargeOf(book, 'user', 'u', 5),
  ];
  assert.equal(book.reserve(askOf('a', 6, charges, [])), charges[2]);
  assert.deepEqual(
    charges.map(({ account }) => account.reservedNanos),
    [0, 0, 0],
  );
});

type Step =
  | { readonly do: 'request'; readonly amount: number; readonly key: number }
  | { readonly do: 'settle'; readonly which: number; readonly part: number }
  | { readonly do: 'release'; readonly which: number }
  | { readonly do: 'withdraw'; readonly which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('request' as const),
    amount: fc.integer({ min: 0, max: 60 }),
    key: fc.nat(2),
  }),
  fc.record({
    do: fc.constant('settle' as const),
    which: fc.nat(),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ do: fc.constant('release' as const), which: fc.nat() }),
  fc.record({ do: fc.constant('withdraw' as const), which: fc.nat() }),
);

test('posted and reserved amounts never exceed a limit and equal the sums of all steps', () => {
  const property = fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
    const book = new BudgetBook();
    const organization = chargeOf(book, 'organization', '', 100);
    const keys = [60, 30, 100].map((limit, index) => chargeOf(book, 'key', `k${index}`, limit));
    const all = [organization, ...keys];
    const model = new Map<
      string,
      { amount: number; key: number; request: BookRequest; isReserved: boolean }
    >();
    const spent = [0, 0, 0];
    let number = 0;

    function request(amount: number, key: number): void {
      const id = `a${(number += 1)}`;
      const entry = {
        amount,
        key,
        isReserved: false,
        request: {
          reservation: reservationOf(id, amount, key),
          charges: [organization, keys[key] ?? assert.fail()],
          onReserved: () => void (entry.isReserved = true),
          onExceeded: () => void model.delete(id),
        },
      };
      model.set(id, entry);
      const answer = book.reserve(entry.request);
      if (answer === 'reserved') entry.isReserved = true;
      else if (answer !== 'waiting') model.delete(id);
    }

    for (const each of steps) {
      if (each.do === 'request') {
        request(each.amount, each.key);
      } else {
        const isReserved = each.do !== 'withdraw';
        const candidates = [...model].filter(([, entry]) => entry.isReserved === isReserved);
        const chosen = candidates[each.which % Math.max(1, candidates.length)];
        if (!chosen) continue;
        const [id, entry] = chosen;
        model.delete(id);
        if (each.do === 'withdraw') assert.ok(book.withdraw(entry.request));
        else if (each.do === 'release') assert.ok(book.release(id));
        else {
          const cost = Math.floor(entry.amount * each.part);
          spent[entry.key] = (spent[entry.key] ?? 0) + cost;
          const record = usageRecord(id, { keyId: `k${entry.key}`, costNanos: cost });
          assert.equal(book.settle(record, MONTH, cost), entry.amount);
        }
      }
      for (const { account, limitNanos } of all)
        assert.ok(account.postedNanos + account.reservedNanos <= limitNanos, 'a limit was passed');
    }

    const reserved = [0, 1, 2].map((key) =>
      [...model.values()]
        .filter((entry) => entry.isReserved && entry.key === key)
        .reduce((sum, { amount }) => sum + amount, 0),
    );
    assert.deepEqual(
      keys.map(({ account }) => account.reservedNanos),
      reserved,
    );
    assert.deepEqual(
      keys.map(({ account }) => account.postedNanos),
      spent,
    );
    assert.equal(
      organization.account.reservedNanos,
      reserved.reduce((sum, each) => sum + each, 0),
    );
    // The first waiting request of an account does not fit.
    for (const { account } of all) {
      const first = account.waiting[0];
      if (first) assert.ok(first.charges.some((charge) => lacksRoom(charge, first)));
    }
  });
  fc.assert(property, { numRuns: 500 });
});

function lacksRoom({ account, limitNanos }: Charge, request: BookRequest): boolean {
  const { postedNanos, reservedNanos, waiting } = account;
  if (postedNanos + reservedNanos + request.reservation.amountNanos > limitNanos) return true;
  return waiting.length > 0 && waiting[0] !== request;
}

function rig(limitNanos: number) {
  const book = new BudgetBook();
  const charge = chargeOf(book, 'organization', '', limitNanos);
  const told: string[] = [];
  return {
    book,
    charge,
    told,
    request: (id: string, amount: number) => askOf(id, amount, [charge], told),
    settle: (id: string, cost: number) =>
      book.settle(usageRecord(id, { costNanos: cost }), MONTH, cost),
  };
}

function chargeOf(
  book: BudgetBook,
  kind: 'organization' | 'key' | 'user',
  scopeId: string,
  limitNanos: number,
): Charge {
  return { account: book.accounts.open('acme', kind, scopeId, MONTH), limitNanos };
}

function askOf(
  id: string,
  amount: number,
  charges: readonly Charge[],
  told: string[],
): BookRequest {
  return {
    reservation: reservationOf(id, amount),
    charges,
    onReserved: () => void told.push(`${id} reserved`),
    onExceeded: () => void told.push(`${id} exceeded`),
  };
}

function reservationOf(id: string, amountNanos: number, key = 0): BudgetReservation {
  return {
    id,
    requestId: id,
    attempt: 1,
    organizationId: 'acme',
    keyId: `k${key}`,
    userId: undefined,
    category: undefined,
    provider: 'openai',
    model: 'gpt-5',
    streamed: false,
    amountNanos,
    reservesKey: true,
    reservesUser: false,
    month: MONTH,
    expiresAt: 0,
  };
}
