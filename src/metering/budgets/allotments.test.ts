import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { reservationRequest } from '../../../test/support/budgets/budget-ask.ts';
import { usageRecord } from '../../../test/support/budgets/usage-record.ts';
import { Allotments, MIN_MEASURED_MS, WORKING_LIFE_MS, WORKING_SPAN_MS } from './allotments.ts';
import { type BudgetReservation, newReservation } from './budget-reservation.ts';
import type { AllotmentGrant, AllotmentRequest } from './shared-budget-store.ts';

const MONTH = 202601;
const AMOUNT = 10;
const BUSY = 16;
const STANDBY_LIFE_MS = 10_000;

function reservationOf(id: string, amountNanos = AMOUNT, reservesKey = false): BudgetReservation {
  const reservation = newReservation(reservationRequest(id, { worstNanos: amountNanos }), MONTH);
  return { ...reservation, reservesKey };
}

type Answer = (request: AllotmentRequest) => Partial<AllotmentGrant>;

/** Renews; the store grants the floors unless `answer` overrides a grant. */
function renew(allotments: Allotments, now: number, answer: Answer = () => ({})) {
  const { requests, created, ended } = allotments.renew(now);
  const grants = requests.map((request) => {
    return { id: request.id, amountNanos: request.floorNanos, isShort: false, ...answer(request) };
  });
  return { created, ended, requests, isGivenUp: allotments.granted(requests, grants, now) };
}

function note(allotments: Allotments, now: number, count = BUSY): void {
  for (let index = 0; index < count; index += 1) allotments.note(reservationOf('any'), now);
}

const only =
  (purpose: string, amountNanos: number): Answer =>
  (request) =>
    request.purpose === purpose ? { amountNanos } : {};

/** A busy organisation with this amount left in its working allotment. */
function working(amountNanos: number): Allotments {
  const allotments = new Allotments(STANDBY_LIFE_MS, 0);
  note(allotments, 0);
  renew(allotments, MIN_MEASURED_MS, only('working', amountNanos));
  return allotments;
}

test('an organisation with few requests gets a standby allotment and no working one', () => {
  const allotments = new Allotments(STANDBY_LIFE_MS, 0);
  note(allotments, 0, BUSY - 1);
  const { requests } = renew(allotments, MIN_MEASURED_MS);
  assert.deepEqual(
    requests.map(({ purpose }) => purpose),
    ['standby'],
  );
});

test('a busy organisation asks for the demand of two seconds, without waiting for the next renewal', () => {
  const allotments = new Allotments(STANDBY_LIFE_MS, 0);
  note(allotments, 0, BUSY - 1);
  assert.equal(allotments.note(reservationOf('last'), 0), true);
  const { requests, created } = renew(allotments, MIN_MEASURED_MS);
  const request = requests.find(({ purpose }) => purpose === 'working');
  const wantedNanos = (BUSY * AMOUNT * WORKING_SPAN_MS) / MIN_MEASURED_MS;
  assert.partialDeepStrictEqual(request, { floorNanos: 0, wantedNanos });
  assert.deepEqual(created, [request?.id]);
  assert.equal(request?.expiresAt, MIN_MEASURED_MS + WORKING_LIFE_MS);
});

test('requests that count against a key or user budget get no working allotment', () => {
  const allotments = new Allotments(STANDBY_LIFE_MS, 0);
  for (let index = 0; index < BUSY; index += 1)
    allotments.note(reservationOf('any', AMOUNT, true), 0);
  const { requests } = renew(allotments, MIN_MEASURED_MS, () => ({ amountNanos: 100 }));
  assert.deepEqual(
    requests.map(({ purpose, account }) => [purpose, account.kind]),
    [
      ['standby', 'organization'],
      ['standby', 'key'],
    ],
  );
  assert.equal(allotments.pay(reservationOf('a', AMOUNT, true), 'standby', 300), true);
});

test('an allotment pays at most its amount, and the unused part of a reservation pays again', () => {
  const allotments = working(25);
  assert.equal(allotments.pay(reservationOf('a'), 'working', 300), true);
  assert.equal(allotments.pay(reservationOf('b'), 'working', 300), true);
  assert.equal(allotments.pay(reservationOf('c'), 'working', 300), false);
  assert.equal(allotments.pay(reservationOf('c'), 'standby', 300), false);
  allotments.settle('a', 4);
  assert.equal(allotments.pay(reservationOf('d'), 'working', 300), true);
  allotments.release('d');
  assert.equal(allotments.pay(reservationOf('e'), 'working', 300), true);
});

test('money of a stored attempt pays again only after a grant above the floor', () => {
  const allotments = working(AMOUNT);
  allotments.pay(reservationOf('a'), 'working', 300);
  allotments.stored([], [reservationOf('a')]);
  assert.equal(allotments.pay(reservationOf('b'), 'working', 300), false);
  note(allotments, 300);
  const { requests } = renew(allotments, 500, only('working', 15));
  assert.deepEqual(
    requests.map(({ floorNanos }) => floorNanos),
    [0, 0],
  );
  assert.equal(allotments.pay(reservationOf('b'), 'working', 500), true);
  assert.equal(allotments.pay(reservationOf('c'), 'working', 500), false);
});

test('an allotment to which nothing was granted pays nothing and is asked for again', () => {
  const allotments = working(0);
  assert.equal(allotments.pay(reservationOf('a'), 'working', 300), false);
  note(allotments, 300);
  renew(allotments, 2 * MIN_MEASURED_MS, only('working', AMOUNT));
  assert.equal(allotments.pay(reservationOf('a'), 'working', 500), true);
});

test('a retired allotment ends when the store knows all attempts that it paid', () => {
  const allotments = working(100);
  for (const id of ['ended', 'lasts', 'never sent'])
    allotments.pay(reservationOf(id), 'working', 300);
  const quiet = renew(allotments, 2000);
  assert.deepEqual(quiet.ended, []);
  const request = quiet.requests.find(({ purpose }) => purpose === 'working');
  assert.equal(request?.floorNanos, 3 * AMOUNT);
  allotments.release('never sent');
  allotments.settle('ended', 3);
  assert.deepEqual([allotments.isOpen('ended'), allotments.isOpen('lasts')], [false, true]);
  allotments.stored([usageRecord('ended')], []);
  assert.deepEqual(renew(allotments, 3000).ended, []);
  assert.equal(allotments.has(request?.id ?? ''), true);
  allotments.stored([], [reservationOf('lasts')]);
  assert.deepEqual(renew(allotments, 4000).ended, [request?.id]);
  assert.equal(allotments.has(request?.id ?? ''), false);
});

test('an allotment is emptied when a request of its budget is refused, on this server or another', () => {
  const here = working(100);
  assert.equal(here.giveUp(reservationOf('short')), true);
  assert.equal(here.giveUp(reservationOf('short')), false);
  assert.equal(here.pay(reservationOf('a'), 'working', 300), false);
  const elsewhere = working(100);
  note(elsewhere, 400);
  assert.equal(renew(elsewhere, 500, () => ({ isShort: true })).isGivenUp, true);
  assert.equal(elsewhere.pay(reservationOf('a'), 'working', 500), false);
  const { requests, isGivenUp } = renew(elsewhere, 500, () => ({ isShort: true }));
  assert.deepEqual([requests.map(({ floorNanos }) => floorNanos), isGivenUp], [[0], false]);
});

test('a standby allotment pays for most of its life and is replaced after that', () => {
  const allotments = new Allotments(STANDBY_LIFE_MS, 0);
  note(allotments, 0, 1);
  const [first] = renew(allotments, 0, () => ({ amountNanos: 100 })).requests;
  assert.equal(allotments.pay(reservationOf('a'), 'standby', STANDBY_LIFE_MS * 0.84), true);
  assert.equal(allotments.pay(reservationOf('b'), 'standby', STANDBY_LIFE_MS * 0.86), false);
  renew(allotments, STANDBY_LIFE_MS);
  note(allotments, STANDBY_LIFE_MS, 1);
  const { requests } = renew(allotments, STANDBY_LIFE_MS);
  // The attempt is still covered; the rest may have been released by the store.
  assert.deepEqual(
    requests.map(({ id, floorNanos }) => [id === first?.id, floorNanos]),
    [
      [true, AMOUNT],
      [false, 0],
    ],
  );
});

test('an account without requests is forgotten after five minutes', () => {
  const allotments = new Allotments(STANDBY_LIFE_MS, 0);
  note(allotments, 0, 1);
  assert.equal(renew(allotments, 1000).requests.length, 1);
  assert.deepEqual(renew(allotments, 300_000).requests, []);
});

test('close ends every allotment without unstored attempts', () => {
  const allotments = working(100);
  allotments.pay(reservationOf('open'), 'working', 300);
  allotments.close();
  assert.equal(allotments.pay(reservationOf('late'), 'working', 300), false);
  const { requests, ended } = renew(allotments, 400);
  assert.deepEqual([requests.map(({ floorNanos }) => floorNanos), ended], [[AMOUNT], []]);
  allotments.stored([], [reservationOf('open')]);
  assert.equal(renew(allotments, 500).ended.length, 1);
});

type Step = { readonly what: string; readonly which: number; readonly amount: number };

const WHATS = [
  'pay',
  'pay',
  'pay',
  'settle',
  'release',
  'store',
  'open',
  'send',
  'answer',
  'lose',
  'short',
];
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    what: fc.constantFrom(...WHATS),
    which: fc.nat(),
    amount: fc.integer({ min: 1, max: 40 }),
  }),
  { maxLength: 300 },
);

test('the amounts in the store always cover all unstored attempts', () => {
  fc.assert(fc.property(steps, playThrough));
});

/** Plays the ledger, the drain and a store; answers to renewals arrive late or get lost. */
function playThrough(script: readonly Step[]): void {
  const allotments = new Allotments(STANDBY_LIFE_MS, 0);
  const inStore = new Map<string, number>();
  const unstored = new Map<string, { nanos: number; isOpen: boolean }>();
  let underWay: { requests: readonly AllotmentRequest[]; grants: AllotmentGrant[] } | undefined;
  let now = 0;
  const idAt = (which: number) => [...unstored.keys()][which % Math.max(1, unstored.size)] ?? '';
  const moves: Record<string, (which: number, amount: number) => void> = {
    pay(which, amount) {
      for (let copy = 0; copy < BUSY; copy += 1) {
        const reservation = reservationOf(`a${(now += 1)}`, amount);
        allotments.note(reservation, now);
        if (allotments.pay(reservation, which % 2 === 0 ? 'working' : 'standby', now))
          unstored.set(reservation.id, { nanos: amount, isOpen: true });
      }
    },
    settle(which, amount) {
      const id = idAt(which);
      const attempt = unstored.get(id);
      if (!attempt?.isOpen) return;
      unstored.set(id, { nanos: Math.min(attempt.nanos, amount), isOpen: false });
      allotments.settle(id, Math.min(attempt.nanos, amount));
    },
    release(which) {
      const id = idAt(which);
      if (!unstored.get(id)?.isOpen) return;
      unstored.delete(id);
      allotments.release(id);
    },
    store(which) {
      const id = idAt(which);
      if (unstored.get(id)?.isOpen !== false) return;
      unstored.delete(id);
      allotments.stored([usageRecord(id)], []);
    },
    open(which) {
      const id = idAt(which);
      if (!unstored.get(id)?.isOpen) return;
      unstored.delete(id);
      allotments.stored([], [reservationOf(id)]);
    },
    send(which, amount) {
      if (underWay) return;
      now += MIN_MEASURED_MS;
      const { requests } = allotments.renew(now);
      inStore.clear();
      const grants = requests.map(({ id, floorNanos }) => {
        const amountNanos = Math.max(floorNanos, amount * 20);
        inStore.set(id, amountNanos);
        return { id, amountNanos, isShort: which % 5 === 0 };
      });
      underWay = { requests, grants };
    },
    answer() {
      if (underWay) allotments.granted(underWay.requests, underWay.grants, now);
      underWay = undefined;
    },
    lose() {
      underWay = undefined;
    },
    short() {
      allotments.giveUp(reservationOf('short'));
    },
  };
  for (const { what, which, amount } of script) {
    moves[what]?.(which, amount);
    const covered = [...inStore.values()].reduce((sum, nanos) => sum + nanos, 0);
    const paid = [...unstored.values()].reduce((sum, { nanos }) => sum + nanos, 0);
    assert.ok(paid <= covered, `${paid} were paid and ${covered} are covered`);
    for (const [id, { isOpen }] of unstored) assert.equal(allotments.isOpen(id), isOpen);
  }
  allotments.close();
  for (const id of unstored.keys()) allotments.stored([usageRecord(id)], []);
  assert.deepEqual(allotments.renew(now).requests, []);
}
