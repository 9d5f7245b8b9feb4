import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { mostWithin } from '../../src/simulator/scenario/peak-window.ts';
import { limitViolations } from './limit-violations.ts';

test('calls beyond the limit are counted, and later calls are judged without them', () => {
  assert.equal(limitViolations([0, 1, 2, 3], 2, 10), 2);
  assert.equal(limitViolations([0, 1, 10, 11], 2, 10), 0);
  assert.equal(limitViolations([11, 0, 10, 1], 2, 10), 0);
  assert.equal(limitViolations([0, 5, 9, 10], 2, 10), 1);
});

test('there is no violation exactly if no window has more calls than the limit', () => {
  const arrivals = fc.array(fc.nat(1_000), { maxLength: 60 });
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 10 }), (times, limit) => {
      const most = mostWithin(
        times.toSorted((a, b) => a - b),
        100,
      );
      assert.equal(limitViolations(times, limit, 100) === 0, most <= limit);
    }),
  );
});
