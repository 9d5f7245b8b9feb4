// The visible part of a time series: the rows to draw, the ranges of both axes, and which thresholds fit. A threshold far
// above all values would flatten them, so the chart leaves it out and says so.

import type { AlignedData } from 'uplot';
import type { PlotKind, PlotView, Threshold } from './plot-options.ts';
import { bucketMs, largestValue, type SeriesData, stackLines } from './series-data.ts';

export type Plotted = {
  readonly data: SeriesData;
  readonly kind?: PlotKind | undefined;
  readonly thresholds: readonly Threshold[];
  readonly partialFromMs?: number | undefined;
};

const MAX_THRESHOLD_RATIO = 2.5;
const SPACE_ABOVE = 1.1;

export function plotRows(plotted: Plotted): AlignedData {
  return [[...plotted.data.times], ...valueRows(plotted)];
}

export function plotView(plotted: Plotted): PlotView {
  const { data, kind, thresholds, partialFromMs } = plotted;
  const first = data.times[0] ?? 0;
  const last = data.times.at(-1) ?? first;
  const largest = largestValue(valueRows(plotted));
  const visible = thresholds.filter(({ value }) => value <= largest * MAX_THRESHOLD_RATIO);
  const highest = Math.max(largest, ...visible.map(({ value }) => value));
  return {
    fromMs: first,
    // A bar begins at its time and needs its width; a line ends at its last sample.
    toMs: kind === 'bars' ? last + bucketMs(data) : Math.max(last, first + 1),
    maxValue: highest > 0 ? highest * SPACE_ABOVE : 1,
    thresholds: visible,
    partialFromMs,
  };
}

export function hiddenThresholds(plotted: Plotted): readonly Threshold[] {
  const largest = largestValue(valueRows(plotted));
  return plotted.thresholds.filter(({ value }) => value > largest * MAX_THRESHOLD_RATIO);
}

function valueRows({ data, kind }: Plotted): (number | null)[][] {
  return kind === 'bars'
    ? stackLines(data.lines, data.times.length)
    : data.lines.map(({ values }) => [...values]);
}
