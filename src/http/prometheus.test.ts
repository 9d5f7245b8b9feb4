import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createMetrics, observe } from '../kernel/metrics.ts';
import { renderPrometheus } from './prometheus.ts';

test('counters end in _total, dots become underscores, and every metric has HELP and TYPE', () => {
  const metrics = createMetrics();
  metrics.counter('spillway.calls', 'Calls made.', ['provider']).cell('openai').value = 3;
  metrics.counter('errors_total', 'Errors.').cell().value = 1;
  metrics.gauge('queue.depth', 'Depth.').cell().value = 7;
  assert.equal(
    renderPrometheus(metrics),
    [
      '# HELP spillway_calls_total Calls made.',
      '# TYPE spillway_calls_total counter',
      'spillway_calls_total{provider="openai"} 3',
      '# HELP errors_total Errors.',
      '# TYPE errors_total counter',
      'errors_total 1',
      '# HELP queue_depth Depth.',
      '# TYPE queue_depth gauge',
      'queue_depth 7',
      '',
    ].join('\n'),
  );
});

test('a histogram has cumulative buckets up to infinity, its sum and its count', () => {
  const metrics = createMetrics();
  const histogram = metrics.histogram('seconds', 'Seconds.', [1, 5], ['model']);
  for (const value of [0.5, 1, 3, 100]) observe(histogram, histogram.cell('m'), value);
  assert.deepEqual(renderPrometheus(metrics).split('\n').slice(2, -1), [
    'seconds_bucket{model="m",le="1"} 2',
    'seconds_bucket{model="m",le="5"} 3',
    'seconds_bucket{model="m",le="+Inf"} 4',
    'seconds_sum{model="m"} 104.5',
    'seconds_count{model="m"} 4',
  ]);
});

test('a metric without series has HELP and TYPE and no rows', () => {
  const metrics = createMetrics();
  metrics.counter('calls', 'Calls.', ['provider']);
  assert.equal(
    renderPrometheus(metrics),
    '# HELP calls_total Calls.\n# TYPE calls_total counter\n',
  );
});

test('no label value can break out of its line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (label) => {
      const metrics = createMetrics();
      metrics.counter('calls', 'a\nb\\c', ['model']).cell(label).value = 1;
      const lines = renderPrometheus(metrics).split('\n');
      assert.equal(lines.length, 4);
      assert.equal(lines[0], '# HELP calls_total a\\nb\\\\c');
      const quoted = /^calls_total\{model="((?:[^"\\\n]|\\["\\n])*)"\} 1$/s.exec(lines[2] ?? '');
      const plain = quoted?.[1]?.replaceAll(/\\(["\\n])/g, (_, sign) =>
        sign === 'n' ? '\n' : sign,
      );
      assert.equal(plain, label);
    }),
  );
});
