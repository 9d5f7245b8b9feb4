// The lines of the overview's charts, from the columns of the series. Pure.

import type { TimeSeries } from '../../../api/time-series.ts';
import type { SeriesData } from '../../charts/series-data.ts';
import { seriesTone } from '../../charts/tone.ts';

/** All further codes share one line, so that the legend stays readable. */
const MAX_CODES = 5;

export function trafficLines({ at, requests, errors }: TimeSeries): SeriesData {
  const answered = requests.map((count, index) =>
    count === null ? null : count - (errors[index] ?? 0),
  );
  return {
    times: at,
    lines: [
      { label: 'answered', values: answered, tone: 'accent' },
      { label: 'failed', values: errors, tone: 'bad' },
    ],
  };
}

export function errorLines({ at, errorsByCode }: TimeSeries): SeriesData {
  const codes = Object.entries(errorsByCode).toSorted((a, b) => sum(b[1]) - sum(a[1]));
  const shown = codes.slice(0, MAX_CODES);
  const rest = codes.slice(MAX_CODES).map(([, values]) => values);
  const other = at.map((_, index) => total(rest.map((values) => values[index] ?? null)));
  return {
    times: at,
    lines: [
      ...shown.map(([code, values], index) => ({
        label: code,
        values,
        tone: seriesTone(index + 2),
      })),
      ...(rest.length > 0
        ? [{ label: `${rest.length} other codes`, values: other, tone: 'muted' as const }]
        : []),
    ],
  };
}

export function latencyLines({ at, latencyMs }: TimeSeries): SeriesData {
  return {
    times: at,
    lines: [
      { label: 'p50', values: latencyMs.p50, tone: 'series-1' },
      { label: 'p95', values: latencyMs.p95, tone: 'series-2' },
      { label: 'p99', values: latencyMs.p99, tone: 'series-3' },
    ],
  };
}

export function spendLines({ at, costUsd }: TimeSeries): SeriesData {
  return { times: at, lines: [{ label: 'spend', values: costUsd, tone: 'series-4' }] };
}

function sum(values: readonly (number | null)[]): number {
  return values.reduce<number>((all, value) => all + (value ?? 0), 0);
}

function total(values: readonly (number | null)[]): number | null {
  return values.every((value) => value === null) ? null : sum(values);
}
