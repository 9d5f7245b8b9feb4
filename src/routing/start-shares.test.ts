import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { startsByWeight } from './start-shares.ts';

test('equal weights and no weights give equal turns in order', () => {
  assert.deepEqual(startsByWeight(3, []), [0, 1, 2]);
  assert.deepEqual(startsByWeight(3, [5, 5, 5]), [0, 1, 2]);
  assert.deepEqual(startsByWeight(2, [0, 0]), [0, 1]);
  assert.deepEqual(startsByWeight(0, []), [0]);
});

test('shares are spread evenly over the cycle', () => {
  assert.deepEqual(startsByWeight(2, [0.75, 0.25]), [0, 0, 1, 0]);
  assert.deepEqual(startsByWeight(3, [70, 0, 30]), [0, 2, 0, 0, 0, 2, 0, 0, 2, 0]);
});

test('a share is exact to one per cent, and a leg without weight never starts', () => {
  const weights = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(
      weights.filter((given) => given.some((weight) => weight > 0)),
      (given) => {
        const starts = startsByWeight(given.length, given);
        const sum = given.reduce((total, weight) => total + weight, 0);
        for (const [leg, weight] of given.entries()) {
          const share = starts.filter((start) => start === leg).length / starts.length;
          if (weight === 0) assert.equal(share, 0);
          else assert.ok(Math.abs(share - weight / sum) < 0.05, `${share} of ${weight / sum}`);
        }
        assert.ok(starts.length <= 110);
      },
    ),
  );
});
