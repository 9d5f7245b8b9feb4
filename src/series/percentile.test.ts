import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { percentile, percentilesOf } from './percentile.ts';
import { LATENCY_BINS, LATENCY_BOUNDS_MS } from './sample.ts';

const bins = fc.array(fc.nat(1000), { minLength: LATENCY_BINS, maxLength: LATENCY_BINS });

test('a histogram without measurements has no percentile', () => {
  assert.deepEqual(percentilesOf(Array.from({ length: LATENCY_BINS }, () => 0)), {
    p50: null,
    p95: null,
    p99: null,
  });
});

test('a percentile lies in the bin that contains its rank, interpolated linearly', () => {
  const latency = Array.from({ length: LATENCY_BINS }, () => 0);
  latency[2] = 100;
  assert.equal(percentile(latency, 0.5), 175);
  latency[LATENCY_BINS - 1] = 900;
  assert.equal(percentile(latency, 0.99), LATENCY_BOUNDS_MS.at(-1));
});

test('percentiles rise with their rank and stay within the bounds', () => {
  fc.assert(
    fc.property(bins, (latency) => {
      const { p50, p95, p99 } = percentilesOf(latency);
      if (p50 === null || p95 === null || p99 === null)
        return latency.every((count) => count === 0);
      return 0 <= p50 && p50 <= p95 && p95 <= p99 && p99 <= 600_000;
    }),
  );
});
