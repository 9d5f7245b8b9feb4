import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clampFraction, linearScale, niceTicks } from './scale.ts';

test('ticks start at zero, are evenly spaced and cover the largest value', () => {
  assert.deepEqual(niceTicks(58, 3), [0, 20, 40, 60]);
  assert.deepEqual(niceTicks(0, 3), [0, 1]);
  fc.assert(
    fc.property(
      fc.double({ min: 1e-6, max: 1e9, noNaN: true }),
      fc.integer({ min: 1, max: 8 }),
      (max, count) => {
        const ticks = niceTicks(max, count);
        assert.equal(ticks[0], 0);
        assert.ok((ticks.at(-1) ?? 0) >= max * (1 - 1e-9));
        assert.ok(ticks.length <= count + 2);
      },
    ),
  );
});

test('a linear scale maps the ends of its domain to the ends of its range', () => {
  const scale = linearScale([10, 20], [100, 0]);
  assert.deepEqual([10, 15, 20].map(scale), [100, 50, 0]);
  assert.equal(linearScale([5, 5], [0, 10])(5), 5);
});

test('a fraction stays between zero and one', () => {
  assert.deepEqual([-1, 0.4, 3, Number.NaN].map(clampFraction), [0, 0.4, 1, 0]);
});
