// GET /admin/dashboard/overview?range=15m|1h|24h|7d or ?from=&to=

import type { Finding, OverallState } from './findings.ts';
import type { TimeSeries } from './time-series.ts';

export type Overview = {
  readonly state: OverallState;
  /** What is wrong now, the most severe first; empty if all is well. */
  readonly findings: readonly Finding[];
  readonly series: TimeSeries;
  /** Sums over the range. */
  readonly totals: Totals;
  readonly spend: Spend;
  /** When the server took the reading. */
  readonly readAt: number;
};

export type Totals = {
  readonly requests: number;
  readonly errors: number;
  /** errors ÷ requests, 0 to 1; null without requests. */
  readonly errorRatio: number | null;
  /** Failed requests by code, the most frequent first. */
  readonly errorsByCode: readonly { readonly code: string; readonly count: number }[];
  readonly latencyMs: {
    readonly p50: number | null;
    readonly p95: number | null;
    readonly p99: number | null;
  };
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  readonly retries: number;
  readonly rateLimited: number;
};

export type Spend = {
  /** Since midnight UTC. */
  readonly todayUsd: number;
  /** Since the first of the month, UTC. */
  readonly monthUsd: number;
  /** The whole month at the average rate so far; null on its first day. */
  readonly forecastMonthUsd: number | null;
};
