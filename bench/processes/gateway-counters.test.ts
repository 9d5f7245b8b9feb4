import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderPrometheus } from '../../src/http/prometheus.ts';
import { createMetrics } from '../../src/kernel/metrics.ts';
import { parseCounters } from './gateway-counters.ts';

function counters() {
  const metrics = createMetrics();
  const calls = metrics.counter('bench.calls', 'Calls.', ['provider', 'model']);
  calls.cell('anthropic', 'a "quoted" {model} 7').value = 2;
  calls.cell('openai', 'plain').value = 3;
  metrics.counter('bench.refusals', 'Refusals.', ['provider']);
  metrics.gauge('bench.depth', 'Depth.').cell().value = 5;
  return parseCounters(renderPrometheus(metrics));
}

test('a counter is the sum over its labels, whatever stands in them', () => {
  assert.equal(counters()('bench.calls'), 5);
});

test('a counter that has counted nothing is zero', () => {
  assert.equal(counters()('bench.refusals'), 0);
});

test('a name that is no counter is a mistake and not a zero', () => {
  assert.throws(() => counters()('bench.cals'), /no counter bench.cals/);
  assert.throws(() => counters()('bench.depth'), /no counter bench.depth/);
});
