import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createMetrics, observe } from './metrics.ts';

test('equal labels share a cell, and different labels do not', () => {
  const counter = createMetrics().counter('calls', 'Calls.', ['provider', 'code']);
  counter.cell('a', 'OK').value += 2;
  counter.cell('a', 'OK').value += 1;
  counter.cell('b', 'OK').value += 1;
  assert.equal(counter.cell('a', 'OK').value, 3);
  assert.equal(counter.series.size, 2);
});

test('a second registration and a wrong number of labels throw', () => {
  const metrics = createMetrics();
  const counter = metrics.counter('calls', 'Calls.', ['provider']);
  assert.throws(() => metrics.gauge('calls', 'Again.'), /registered twice/);
  assert.throws(() => counter.cell(), /takes 1 labels/);
  assert.throws(() => counter.cell('a', 'b'), /takes 1 labels/);
});

test('label sets past the bound share one cell, and earlier label sets keep theirs', () => {
  const counter = createMetrics().counter('calls', 'Calls.', ['model']);
  for (let index = 0; index < 2000; index += 1) counter.cell(`model-${index}`).value += 1;
  assert.equal(counter.series.size, 501);
  assert.equal(counter.cell('model-3').value, 1);
  assert.equal(counter.cell('never seen').value, 1500);
  assert.equal(counter.cell('other'), counter.cell('never seen'));
});

test('collect calls the collectors before it returns the metrics', () => {
  const metrics = createMetrics();
  const gauge = metrics.gauge('backlog', 'Backlog.');
  metrics.onCollect(() => {
    gauge.cell().value += 1;
  });
  assert.deepEqual(metrics.collect(), [gauge]);
  metrics.collect();
  assert.equal(gauge.cell().value, 2);
});

test('a measurement counts in one bucket: the first with a bound that is not below it', () => {
  const bounds = [0.1, 1, 10];
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 100, noNaN: true })), (values) => {
      const histogram = createMetrics().histogram('seconds', 'Seconds.', bounds);
      const cell = histogram.cell();
      for (const value of values) observe(histogram, cell, value);
      const atMost = (bound: number): number => values.filter((value) => value <= bound).length;
      let cumulative = 0;
      for (const [index, bound] of [...bounds, Number.POSITIVE_INFINITY].entries()) {
        cumulative += cell.counts[index] ?? 0;
        assert.equal(cumulative, atMost(bound));
      }
      assert.equal(cell.count, values.length);
      assert.equal(
        cell.sum,
        values.reduce((sum, value) => sum + value, 0),
      );
    }),
  );
});
