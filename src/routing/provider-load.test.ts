import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AccountCapacity, type ProviderWork, providerLoad } from './provider-load.ts';
import { createProviderStrategy } from './provider-strategy.ts';

const account: fc.Arbitrary<AccountCapacity> = fc.record({
  perMinute: fc.integer({ min: 1, max: 10_000 }),
  headroom: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
  isUsable: fc.boolean(),
});
const work: fc.Arbitrary<ProviderWork> = fc.record({
  waiting: fc.nat(100_000),
  accounts: fc.array(account, { maxLength: 4 }),
});

test('the load is the time in minutes until a new message would run', () => {
  const one = { perMinute: 100, headroom: undefined, isUsable: true };
  assert.equal(providerLoad({ waiting: 99, accounts: [one] }), 1);
  assert.equal(providerLoad({ waiting: 99, accounts: [one, one] }), 0.5);
  assert.equal(providerLoad({ waiting: 99, accounts: [{ ...one, headroom: 0.5 }] }), 2);
});

test('a longer queue never lowers the load, and strictly raises it while an account is usable', () => {
  fc.assert(
    fc.property(work, fc.integer({ min: 1, max: 1000 }), (given, more) => {
      const [before, after] = [given, { ...given, waiting: given.waiting + more }].map(
        providerLoad,
      );
      assert.ok(before !== undefined && after !== undefined);
      const isUsable = given.accounts.some((each) => each.isUsable);
      assert.ok(isUsable ? after > before : after === before);
    }),
  );
});

test('more headroom, a higher rate or one more usable account never raises the load', () => {
  const part = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(work, account, part, part, (given, added, one, other) => {
      const scarce = { ...added, headroom: Math.min(one, other), isUsable: true };
      const ample = { ...scarce, headroom: Math.max(one, other) };
      const faster = { ...ample, perMinute: ample.perMinute + 1 };
      const loads = [[], [scarce], [ample], [faster]].map((more) =>
        providerLoad({ ...given, accounts: [...given.accounts, ...more] }),
      );
      assert.deepEqual(
        loads,
        loads.toSorted((a, b) => b - a),
      );
    }),
  );
});

test('a provider without a usable account is behind every other provider', () => {
  fc.assert(
    fc.property(fc.array(work, { minLength: 1, maxLength: 6 }), (works) => {
      const names = works.map((_, index) => String(index));
      const loads = new Map(works.map((each, index) => [String(index), providerLoad(each)]));
      const order = createProviderStrategy({
        strategy: 'LEAST_LOADED',
        fixedProvider: '',
        availableProviders: names,
        priorityOrder: [],
        weights: {},
        metadata: {},
      })({ loadOf: (name) => loads.get(name) ?? 0 });
      assert.deepEqual(order.toSorted(), names.toSorted());
      const ranks = order.map((name) => loads.get(name) ?? 0);
      assert.deepEqual(
        ranks,
        ranks.toSorted((a, b) => a - b),
      );
    }),
  );
});

test('an account that reports no headroom is slow, and an unusable one is not counted', () => {
  const one = { perMinute: 100, headroom: 0, isUsable: true };
  assert.equal(providerLoad({ waiting: 0, accounts: [one] }), 0.2);
  const none = { ...one, isUsable: false };
  assert.equal(providerLoad({ waiting: 0, accounts: [none] }), Number.POSITIVE_INFINITY);
});
