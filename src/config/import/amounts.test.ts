import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { monthlyBudget, periodSeconds, perMinute, tokenLimit } from './amounts.ts';

test('a period of about a month is exact', () => {
  for (const period of ['30d', '28d', '31d', '1mo', '1M'])
    assert.deepEqual(monthlyBudget(12.5, period), { amount: 12.5 });
});

test('other periods become their equivalent per month, with a reason', () => {
  assert.equal(monthlyBudget(10, '1d')?.amount, 300);
  assert.equal(monthlyBudget(90, '1Q')?.amount, 30);
  assert.match(monthlyBudget(10, '1w')?.reason ?? '', /10 US dollars per 1w/);
  assert.match(monthlyBudget(10, undefined)?.reason ?? '', /never resets/);
  assert.equal(monthlyBudget(10, 'soon'), undefined);
  assert.equal(monthlyBudget(10, '0d'), undefined);
});

test('small budgets are not rounded up', () => {
  assert.equal(monthlyBudget(0.005, '30d')?.amount, 0.005);
});

test('a converted limit never admits more over its period than the original', () => {
  const period = fc.constantFrom('1s', '30s', '1m', '5m', '1h', '1d', '1w');
  fc.assert(
    fc.property(fc.integer({ min: 60, max: 1e9 }), period, (limit, per) => {
      const seconds = periodSeconds(per) ?? 0;
      const { amount = 0 } = perMinute(limit, per) ?? {};
      const isSmallest = amount === 1;
      assert.ok(isSmallest || (amount * seconds) / 60 <= limit);
    }),
  );
});

test('tokens per day stay tokens per day', () => {
  assert.deepEqual(tokenLimit(5000, '1d'), { setting: 'tokensPerDay', amount: 5000 });
  assert.deepEqual(tokenLimit(5000, '1m'), { setting: 'tokensPerMinute', amount: 5000 });
  assert.equal(tokenLimit(6000, '1h')?.amount, 100);
  assert.equal(tokenLimit(6000, 'never'), undefined);
});
