import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TimeSeries } from '../../../api/time-series.ts';
import { errorLines, trafficLines } from './overview-charts.ts';

const none = [null, null, null];
const series: TimeSeries = {
  from: 0,
  to: 180_000,
  stepMs: 60_000,
  at: [0, 60_000, 120_000],
  isLastPartial: true,
  requests: [5, null, 3],
  errors: [1, null, 3],
  errorsByCode: Object.fromEntries(
    ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((code, index) => [code, [index, null, 0]]),
  ),
  latencyMs: { p50: none, p95: none, p99: none },
  inputTokens: none,
  outputTokens: none,
  costUsd: none,
  retries: none,
  rateLimited: none,
  jobs: { in: none, out: none, failed: none, delayed: none },
};

test('answered requests are all requests without the failed ones, and gaps stay gaps', () => {
  const [answered, failed] = trafficLines(series).lines;
  assert.deepEqual(answered?.values, [4, null, 0]);
  assert.deepEqual(failed?.values, [1, null, 3]);
});

test('the most frequent codes have a line each and the others share one', () => {
  const { lines } = errorLines(series);
  assert.deepEqual(
    lines.map(({ label }) => label),
    ['G', 'F', 'E', 'D', 'C', '2 other codes'],
  );
  assert.deepEqual(lines.at(-1)?.values, [1, null, 0]);
});
