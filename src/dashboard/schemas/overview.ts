// The schema of the overview.

import { z } from 'zod';
import { moment } from '../../http/schemas/admin.ts';
import type { Overview } from '../api/overview.ts';
import { finding, overallState } from './findings.ts';
import { timeSeries } from './time-series.ts';

const milliseconds = z.number().nullable();

export const overviewView: z.ZodType<Overview> = z.object({
  state: overallState,
  findings: z.array(finding).readonly(),
  series: timeSeries,
  totals: z.object({
    requests: z.int(),
    errors: z.int(),
    errorRatio: z.number().nullable(),
    errorsByCode: z.array(z.object({ code: z.string(), count: z.int() })).readonly(),
    latencyMs: z.object({ p50: milliseconds, p95: milliseconds, p99: milliseconds }),
    inputTokens: z.int(),
    outputTokens: z.int(),
    costUsd: z.number(),
    retries: z.int(),
    rateLimited: z.int(),
  }),
  spend: z.object({
    todayUsd: z.number(),
    monthUsd: z.number(),
    forecastMonthUsd: z.number().nullable(),
  }),
  readAt: moment,
});
