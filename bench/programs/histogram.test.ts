import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram } from './histogram.ts';

test('percentiles are within a hundredth of the truth', () => {
  const histogram = new Histogram();
  for (let value = 1; value <= 1_000; value += 1) histogram.record(value / 10);
  assert.ok(Math.abs(histogram.percentileMs(0.5) / 50 - 1) < 0.011);
  assert.ok(Math.abs(histogram.percentileMs(0.99) / 99 - 1) < 0.011);
});

test('an out-of-range value counts in the edge bucket, and an empty histogram gives zero', () => {
  const histogram = new Histogram();
  assert.equal(histogram.percentileMs(0.5), 0);
  histogram.record(0);
  histogram.record(1e12);
  assert.ok(histogram.percentileMs(0.5) < 0.011);
  assert.ok(histogram.percentileMs(1) > 100_000);
  histogram.clear();
  assert.equal(histogram.percentileMs(0.5), 0);
});
