// Stored intervals as columns for charts: every interval of the range has an element; an interval without a sample is a gap (null).

import { nanosToUsd } from '../../kernel/money.ts';
import { percentilesOf } from '../../series/percentile.ts';
import { addSamples, EMPTY_SAMPLE, errorsOf, type Sample } from '../../series/sample.ts';
import type { SeriesInterval, SeriesRange } from '../../series/series-store.ts';
import type { Totals } from '../api/overview.ts';
import type { Column, TimeSeries } from '../api/time-series.ts';

export function toTimeSeries(
  range: SeriesRange,
  intervals: readonly SeriesInterval[],
  now: number,
): TimeSeries {
  const { from, to, stepMs } = range;
  const samples = new Map(intervals.map(({ at, sample }) => [at, sample]));
  const at = Array.from({ length: Math.round((to - from) / stepMs) }, (_, i) => from + i * stepMs);
  const column = (read: (sample: Sample) => number | null): Column =>
    at.map((begin) => {
      const sample = samples.get(begin);
      return sample ? read(sample) : null;
    });
  const codes = [...new Set(intervals.flatMap(({ sample }) => Object.keys(sample.errors)))];
  return {
    from,
    to,
    stepMs,
    at,
    isLastPartial: to > now,
    requests: column(({ requests }) => requests),
    errors: column(errorsOf),
    errorsByCode: Object.fromEntries(
      codes.toSorted().map((code) => [code, column(({ errors }) => errors[code] ?? 0)]),
    ),
    latencyMs: {
      p50: column(({ latency }) => percentilesOf(latency).p50),
      p95: column(({ latency }) => percentilesOf(latency).p95),
      p99: column(({ latency }) => percentilesOf(latency).p99),
    },
    inputTokens: column(({ inputTokens }) => inputTokens),
    outputTokens: column(({ outputTokens }) => outputTokens),
    costUsd: column(({ costNanos }) => nanosToUsd(costNanos)),
    retries: column(({ retries }) => retries),
    rateLimited: column(({ rateLimited }) => rateLimited),
    jobs: {
      in: column(({ jobsIn }) => jobsIn),
      out: column(({ jobsOut }) => jobsOut),
      failed: column(({ jobsFailed }) => jobsFailed),
      delayed: column(({ jobsDelayed }) => jobsDelayed),
    },
  };
}

export function toTotals(intervals: readonly SeriesInterval[]): Totals {
  const sum = intervals.reduce((all, { sample }) => addSamples(all, sample), EMPTY_SAMPLE);
  const errors = errorsOf(sum);
  return {
    requests: sum.requests,
    errors,
    errorRatio: sum.requests === 0 ? null : errors / sum.requests,
    errorsByCode: Object.entries(sum.errors)
      .map(([code, count]) => ({ code, count }))
      .toSorted((one, other) => other.count - one.count || (one.code < other.code ? -1 : 1)),
    latencyMs: percentilesOf(sum.latency),
    inputTokens: sum.inputTokens,
    outputTokens: sum.outputTokens,
    costUsd: nanosToUsd(sum.costNanos),
    retries: sum.retries,
    rateLimited: sum.rateLimited,
  };
}
