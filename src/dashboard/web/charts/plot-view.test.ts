import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hiddenThresholds, plotRows, plotView } from './plot-view.ts';

const data = {
  times: [0, 60_000],
  lines: [
    { label: 'a', values: [10, null], tone: 'accent' },
    { label: 'b', values: [5, 4], tone: 'bad' },
  ],
} as const;
const near = { value: 20, label: 'near', tone: 'bad' } as const;
const far = { value: 1000, label: 'far', tone: 'bad' } as const;

test('a near threshold extends the axis, a far one is left out and reported', () => {
  const plotted = { data, kind: 'lines', thresholds: [near, far] } as const;
  assert.deepEqual(plotView(plotted).thresholds, [near]);
  assert.ok(plotView(plotted).maxValue > 20);
  assert.ok(plotView(plotted).maxValue < 1000);
  assert.deepEqual(hiddenThresholds(plotted), [far]);
});

test('bars are stacked and the axis ends after the last bar', () => {
  const plotted = { data, kind: 'bars', thresholds: [] } as const;
  assert.deepEqual(plotRows(plotted), [
    [0, 60_000],
    [15, 4],
    [10, null],
  ]);
  assert.equal(plotView(plotted).toMs, 120_000);
});

test('a chart of zeros keeps a scale', () => {
  const zeros = { times: [0], lines: [{ label: 'a', values: [0], tone: 'accent' as const }] };
  const view = plotView({ data: zeros, kind: 'area', thresholds: [] });
  assert.deepEqual([view.maxValue, view.toMs > view.fromMs], [1, true]);
});
