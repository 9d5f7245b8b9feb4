import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveMinute } from '../../../api/live.ts';
import type { TimeSeries } from '../../../api/time-series.ts';
import { withLiveMinute } from './live-series.ts';

const empty = [null, null];
const series: TimeSeries = {
  from: 0,
  to: 120_000,
  stepMs: 60_000,
  at: [0, 60_000],
  isLastPartial: true,
  requests: [5, 1],
  errors: [0, 0],
  errorsByCode: { TIMEOUT: [1, 0] },
  latencyMs: { p50: empty, p95: empty, p99: empty },
  inputTokens: empty,
  outputTokens: empty,
  costUsd: [1, 0],
  retries: empty,
  rateLimited: empty,
  jobs: { in: empty, out: empty, failed: empty, delayed: empty },
};
const minute: LiveMinute = {
  at: 60_000,
  requests: 9,
  errors: 2,
  errorsByCode: { PROVIDER_ERROR: 2 },
  latencyMs: { p50: 100, p95: 200, p99: 300 },
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0.5,
  retries: 0,
  rateLimited: 0,
  jobs: { in: 0, out: 0, failed: 0, delayed: 0 },
  inFlight: 0,
};

test('the present minute replaces the partial interval', () => {
  const joined = withLiveMinute(series, minute);
  assert.deepEqual(joined.requests, [5, 9]);
  assert.deepEqual(joined.errorsByCode, { TIMEOUT: [1, 0], PROVIDER_ERROR: [null, 2] });
  assert.deepEqual(joined.latencyMs.p95, [null, 200]);
});

test('a new minute moves the window by one interval', () => {
  const joined = withLiveMinute(series, { ...minute, at: 120_000 });
  assert.deepEqual(joined.at, [60_000, 120_000]);
  assert.deepEqual(joined.requests, [1, 9]);
});

test('a coarser, a past and an old series stay as they are', () => {
  for (const other of [
    { ...series, stepMs: 900_000 },
    { ...series, isLastPartial: false },
    { ...series, at: [600_000, 660_000] },
  ])
    assert.equal(withLiveMinute(other, minute), other);
});
