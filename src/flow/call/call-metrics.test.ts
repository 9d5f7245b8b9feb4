import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMetrics, type Metric, type Metrics } from '../../kernel/metrics.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import { createCallMetrics } from './call-metrics.ts';

const USED = { ...NO_USAGE, inputTokens: 10, cacheReadTokens: 90, outputTokens: 7, costNanos: 5e7 };

function rig() {
  const clock = createTestClock();
  const metrics = createMetrics();
  return { clock, metrics, calls: createCallMetrics(metrics, (model) => model, clock) };
}

function metric<K extends Metric['kind']>(metrics: Metrics, kind: K, name: string) {
  const found = metrics.collect().find((each) => each.name === name);
  assert.equal(found?.kind, kind, name);
  return found as Extract<Metric, { kind: K }>;
}

test('the error rate is the failed fraction of the calls of the last minute', async () => {
  const { clock, metrics, calls } = rig();
  const rate = () => metric(metrics, 'gauge', 'ai.error.rate').cell().value;
  assert.equal(rate(), 0);
  for (const code of ['OK', 'OK', 'INTERNAL', 'CLIENT_GONE'])
    calls.ended('chat', 'openai', 'm', code, 100, undefined, undefined);
  assert.equal(rate(), 0.25);
  await clock.advance(61_000);
  assert.equal(rate(), 0);
});

test('a caller that disconnects is not an error', () => {
  const { metrics, calls } = rig();
  calls.ended('chat', 'openai', 'm', 'CLIENT_GONE', 100, undefined, undefined);
  assert.equal(metric(metrics, 'counter', 'ai.error.count').series.size, 0);
});

test('a call refused by a rate limit counts by the scope of the limit', () => {
  const { metrics, calls } = rig();
  calls.ended('chat', 'openai', 'm', 'RATE_LIMITED', 1, undefined, 'organization');
  calls.ended('chat', 'openai', 'm', 'INTERNAL', 1, undefined, undefined);
  const exceeded = metric(metrics, 'counter', 'ai.rate_limit.exceeded');
  assert.deepEqual(
    [...exceeded.series.values()],
    [{ labels: ['organization'], cell: { value: 1 } }],
  );
});

test('cached tokens are input tokens by the conventions and a type of their own otherwise', () => {
  const { metrics, calls } = rig();
  calls.ended('messages', 'anthropic', 'm', 'OK', 1500, USED, undefined);
  const usage = metric(metrics, 'histogram', 'gen_ai.client.token.usage');
  assert.equal(usage.cell('chat', 'anthropic', 'm', 'input').sum, 100);
  assert.equal(usage.cell('chat', 'anthropic', 'm', 'output').sum, 7);
  const tokens = metric(metrics, 'counter', 'ai.tokens');
  assert.equal(tokens.cell('anthropic', 'm', 'input').value, 10);
  assert.equal(tokens.cell('anthropic', 'm', 'cache_read').value, 90);
});

test('the cost of each call is observed in US dollars', () => {
  const { metrics, calls } = rig();
  calls.ended('chat', 'openai', 'm', 'OK', 1, USED, undefined);
  const cost = metric(metrics, 'histogram', 'ai.cost.per_request').cell('openai', 'm');
  assert.deepEqual([cost.count, cost.sum], [1, 0.05]);
});

test('durations are separated by error type, which is empty for success', () => {
  const { metrics, calls } = rig();
  calls.ended('generate', 'gemini', 'm', 'OK', 2000, undefined, undefined);
  calls.ended('generate', 'gemini', 'm', 'INTERNAL', 4000, undefined, undefined);
  const duration = metric(metrics, 'histogram', 'gen_ai.client.operation.duration');
  assert.equal(duration.cell('generate_content', 'gemini', 'm', '').sum, 2);
  assert.equal(duration.cell('generate_content', 'gemini', 'm', 'INTERNAL').sum, 4);
});
