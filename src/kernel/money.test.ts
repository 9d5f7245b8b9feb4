import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  ceilMillionths,
  costOfTokens,
  HIGHEST_PER_MILLION,
  nanosToUsd,
  PLAIN_TOKENS,
  rateOf,
  usdText,
  usdToNanos,
} from './money.ts';

test('decimal dollars become exact nano-dollars', () => {
  const amounts: [string | number, number][] = [
    ['0', 0],
    ['-0', 0],
    ['1', 1_000_000_000],
    ['12.50', 12_500_000_000],
    ['.5', 500_000_000],
    ['5.', 5_000_000_000],
    [' 0.000000001 ', 1],
    ['-3.25', -3_250_000_000],
    ['+2', 2_000_000_000],
    [0.1, 100_000_000],
    [0.1 + 0.2, 300_000_000],
    [1e-9, 1],
    [4e-10, 0],
    ['0.0000000005', 1],
    ['1e3', 1_000_000_000_000],
    [0.08333333333333334, 83_333_333],
    ['9007199.254740991', Number.MAX_SAFE_INTEGER],
  ];
  for (const [usd, nanos] of amounts) assert.equal(usdToNanos(usd), nanos, String(usd));
});

test('text that is not an amount throws', () => {
  for (const usd of ['', ' ', 'x', '1,5', '$1', '1 2', '.', '-', '0x10', '1e', 'NaN', '1e999', '∞'])
    assert.throws(() => usdToNanos(usd), RangeError, usd);
  for (const usd of [Number.NaN, Number.POSITIVE_INFINITY, 1e22, '9007199.254740992'])
    assert.throws(() => usdToNanos(usd), RangeError, String(usd));
});

test('nano-dollars survive a JSON round trip', () => {
  fc.assert(
    fc.property(fc.integer({ min: -4e15, max: 4e15 }), (nanos) => {
      const json = JSON.stringify(nanosToUsd(nanos));
      assert.equal(usdToNanos(json), nanos);
    }),
    { numRuns: 5000 },
  );
});

test('text shows all significant digits and at least cents', () => {
  assert.equal(usdText(0), '0.00');
  assert.equal(usdText(12_500_000_000), '12.50');
  assert.equal(usdText(1), '0.000000001');
  assert.equal(usdText(-1_230_000_000), '-1.23');
  assert.equal(usdText(1_234_567_890), '1.23456789');
  fc.assert(
    fc.property(fc.maxSafeInteger(), (nanos) => {
      assert.equal(usdToNanos(usdText(nanos)), nanos);
    }),
  );
});

test('tokens times a price is exact and rounded up once', () => {
  const price = fc.oneof(
    fc.integer({ min: 0, max: HIGHEST_PER_MILLION }),
    fc.integer({ min: 0, max: 2_000_000 }),
  );
  const count = fc.oneof(fc.nat({ max: 1_000_000_000 }), fc.nat({ max: PLAIN_TOKENS }));
  fc.assert(
    fc.property(count, price, (tokens, perMillion) => {
      const exact = (BigInt(tokens) * BigInt(perMillion) + 999_999n) / 1_000_000n;
      const expected =
        exact > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(exact);
      assert.equal(costOfTokens(tokens, rateOf(perMillion)), expected);
    }),
    { numRuns: 5000 },
  );
});

test('millionths are rounded up exactly where floats would lose one', () => {
  assert.equal(ceilMillionths(0), 0);
  assert.equal(ceilMillionths(1), 1);
  assert.equal(ceilMillionths(9_000_000_000_000_001), 9_000_000_001);
  assert.equal(ceilMillionths(9_000_000_000_000_000), 9_000_000_000);
});
