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

test('a counter is the sum over its labels, whatever characters they contain', () => {
  assert.equal(counters()('bench.calls'), 5);
});

test('a counter that has counted nothing is zero', () => {
  assert.equal(counters()('bench.refusals'), 0);
});

test('an unknown counter throws instead of reading as zero', () => {
  assert.throws(() => counters()('bench.cals'), /no counter bench.cals/);
  assert.throws(() => counters()('bench.depth'), /no counter bench.depth/);
});
