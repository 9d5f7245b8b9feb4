// Time series, as columns of equal length: `at[i]` is the start of the interval that `requests[i]` counts. A null is a gap:
// no server has reported that interval. Never interpolate it.

/** A range of the top bar. The query is `range=1h`, or `from=…&to=…` in epoch milliseconds for a custom range. */
export type RangeName = '15m' | '1h' | '24h' | '7d';

export type Column = readonly (number | null)[];

export type TimeSeries = {
  readonly from: number;
  readonly to: number;
  /** Length of an interval in milliseconds: 60,000 and multiples of it. At most 400 intervals. */
  readonly stepMs: number;
  /** Starts of the intervals, epoch milliseconds, ascending. */
  readonly at: readonly number[];
  /** The last interval is not over yet: its counts still grow. */
  readonly isLastPartial: boolean;
  /** Requests to the AI endpoints that have ended, all outcomes. */
  readonly requests: Column;
  /** Failed requests. */
  readonly errors: Column;
  /** Failed requests by Spillway's error code; a code absent here did not occur in the range. */
  readonly errorsByCode: Readonly<Record<string, Column>>;
  /** From histograms: the interpolated duration in milliseconds; null without requests. */
  readonly latencyMs: { readonly p50: Column; readonly p95: Column; readonly p99: Column };
  readonly inputTokens: Column;
  readonly outputTokens: Column;
  readonly costUsd: Column;
  /** Attempts that were retried. */
  readonly retries: Column;
  /** Requests that were refused or delayed by a rate limit of the gateway. */
  readonly rateLimited: Column;
  readonly jobs: {
    /** Jobs dispatched to a provider queue. */
    readonly in: Column;
    /** Jobs that ended with a result. */
    readonly out: Column;
    readonly failed: Column;
    /** Jobs that got a later due time. */
    readonly delayed: Column;
  };
};
