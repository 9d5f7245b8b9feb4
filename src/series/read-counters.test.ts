import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCallMetrics } from '../flow/call/call-metrics.ts';
import { systemClock } from '../kernel/clock.ts';
import { createMetrics } from '../kernel/metrics.ts';
import { NO_USAGE } from '../kernel/usage.ts';
import { readCounters } from './read-counters.ts';
import { EMPTY_SAMPLE, LATENCY_BOUNDS_MS } from './sample.ts';

test('counters that are not registered count zero', () => {
  assert.deepEqual(readCounters(createMetrics()), EMPTY_SAMPLE);
});

test('the metrics of calls become figures', () => {
  const metrics = createMetrics();
  const calls = createCallMetrics(metrics, (model) => model, systemClock);
  const used = {
    ...NO_USAGE,
    inputTokens: 7,
    cacheReadTokens: 3,
    outputTokens: 5,
    costNanos: 3_000_001,
  };
  calls.ended('messages', 'anthropic', 'sonnet', 'OK', 40, used, undefined);
  calls.ended('chat', 'openai', 'gpt', 'RATE_LIMITED', 120, undefined, 'organization');
  calls.ended('chat', 'openai', 'gpt', 'CLIENT_GONE', 1_000_000, undefined, undefined);
  calls.retried('PROVIDER_UNAVAILABLE');
  const { latency, ...figures } = readCounters(metrics);
  const { latency: _, ...empty } = EMPTY_SAMPLE;
  assert.deepEqual(figures, {
    ...empty,
    requests: 3,
    errors: { RATE_LIMITED: 1 },
    rateLimited: 1,
    inputTokens: 10,
    outputTokens: 5,
    costNanos: 3_000_001,
    retries: 1,
  });
  assert.deepEqual(
    [latency[0], latency[2], latency.at(-1)],
    [1, 1, 1],
    'bins of 50 ms, 250 ms and above all bounds',
  );
});

test('the stored bins equal the buckets of the metric ai.latency', () => {
  const metrics = createMetrics();
  createCallMetrics(metrics, (model) => model, systemClock);
  const metric = metrics.find('ai.latency');
  assert.ok(metric?.kind === 'histogram');
  assert.deepEqual(
    metric.bounds.map((seconds) => seconds * 1000),
    LATENCY_BOUNDS_MS,
  );
});
