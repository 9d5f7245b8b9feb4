// Joins the present minute of the live state to the series of the overview, so that the right edge of the charts moves
// every second while the series itself is read a few times a minute. Pure. Only a series with intervals of a minute can
// take it: a coarser interval contains minutes that the live state lacks.

import type { LiveMinute } from '../../../api/live.ts';
import type { Column, TimeSeries } from '../../../api/time-series.ts';

const MINUTE_MS = 60_000;

export function withLiveMinute(series: TimeSeries, minute: LiveMinute | undefined): TimeSeries {
  const last = series.at.at(-1);
  if (!minute || last === undefined || series.stepMs !== MINUTE_MS || !series.isLastPartial)
    return series;
  if (minute.at !== last && minute.at !== last + MINUTE_MS) return series;
  const isNew = minute.at > last;
  const put = (column: Column, value: number | null): Column =>
    isNew ? [...column.slice(1), value] : [...column.slice(0, -1), value];
  const codes = new Set([...Object.keys(series.errorsByCode), ...Object.keys(minute.errorsByCode)]);
  const none: Column = series.at.map(() => null);
  return {
    ...series,
    at: isNew ? [...series.at.slice(1), minute.at] : series.at,
    requests: put(series.requests, minute.requests),
    errors: put(series.errors, minute.errors),
    errorsByCode: Object.fromEntries(
      [...codes].map((code) => [
        code,
        put(series.errorsByCode[code] ?? none, minute.errorsByCode[code] ?? 0),
      ]),
    ),
    latencyMs: {
      p50: put(series.latencyMs.p50, minute.latencyMs.p50),
      p95: put(series.latencyMs.p95, minute.latencyMs.p95),
      p99: put(series.latencyMs.p99, minute.latencyMs.p99),
    },
    costUsd: put(series.costUsd, minute.costUsd),
  };
}
