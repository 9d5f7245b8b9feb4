// The schemas of time series and of the query of a range.

import { z } from 'zod';
import { LATEST_MOMENT, moment, queryInteger } from '../../http/schemas/admin.ts';
import { RANGES_MS } from '../../series/series-range.ts';
import type { TimeSeries } from '../api/time-series.ts';

const column = z.array(z.number().nullable()).readonly();
const percentiles = z.object({ p50: column, p95: column, p99: column });

export const timeSeries: z.ZodType<TimeSeries> = z
  .object({
    from: moment,
    to: moment,
    stepMs: z.int().describe('Length of an interval in milliseconds'),
    at: z.array(moment).readonly().describe('Starts of the intervals'),
    isLastPartial: z.boolean().describe('The last interval is not over'),
    requests: column,
    errors: column,
    errorsByCode: z.record(z.string(), column),
    latencyMs: percentiles,
    inputTokens: column,
    outputTokens: column,
    costUsd: column,
    retries: column,
    rateLimited: column,
    jobs: z.object({ in: column, out: column, failed: column, delayed: column }),
  })
  .describe('Columns of equal length; null is a gap');

const timestamp = queryInteger(LATEST_MOMENT).optional();

export const rangeQuery = {
  range: z.enum(['15m', '1h', '24h', '7d']).optional().describe('The time until now; default: 1h'),
  from: timestamp.describe('Start of a custom range, epoch milliseconds'),
  to: timestamp.describe('End of a custom range, exclusive; default: now'),
};

export type RangeQuery = {
  readonly range?: keyof typeof RANGES_MS | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
};

/** A custom range wins over a named one. */
export function rangeOf(query: RangeQuery, now: number): { from: number; to: number } {
  const to = query.to ?? now;
  return { from: query.from ?? to - RANGES_MS[query.range ?? '1h'], to };
}
