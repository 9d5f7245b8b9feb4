// The legend of a time series and its figures as a table. Pure.

import type { FigureTable } from './chart-frame.tsx';
import { exactTimeText } from './figure-text.ts';
import type { PlotKind } from './plot-options.ts';
import { latestValue, type SeriesData, totalOf } from './series-data.ts';

/** Bars add up to the figure of the range; a line shows its latest value. */
export function legendItem(
  line: SeriesData['lines'][number],
  format: (value: number) => string,
  kind: PlotKind | undefined,
) {
  const value = kind === 'bars' ? totalOf(line.values) : latestValue(line.values);
  return {
    label: line.label,
    tone: line.tone,
    ...(value === undefined ? {} : { figure: format(value) }),
  };
}

export function seriesTable(
  data: SeriesData | undefined,
  format: (value: number) => string,
): FigureTable {
  const lines = data?.lines ?? [];
  return {
    columns: ['Time', ...lines.map(({ label }) => label)],
    rows: (data?.times ?? [])
      .map((at, index) => [
        exactTimeText(at),
        ...lines.map(({ values }) => {
          const value = values[index] ?? null;
          return value === null ? 'no data' : format(value);
        }),
      ])
      .toReversed(),
  };
}
