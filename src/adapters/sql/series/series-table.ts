// The tables of samples: one row per source, resolution and interval, and the failed requests of it by code. The latency
// histogram is one column per bin, so that the store sums it.

import type { ColumnType } from 'kysely';

export const BIN_COLUMNS = [
  'bin_0',
  'bin_1',
  'bin_2',
  'bin_3',
  'bin_4',
  'bin_5',
  'bin_6',
  'bin_7',
  'bin_8',
  'bin_9',
  'bin_10',
  'bin_11',
  'bin_12',
  'bin_13',
] as const;

export const COUNT_COLUMNS = {
  requests: 'requests',
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  costNanos: 'cost_nanos',
  retries: 'retries',
  rateLimited: 'rate_limited',
  jobsIn: 'jobs_in',
  jobsOut: 'jobs_out',
  jobsFailed: 'jobs_failed',
  jobsDelayed: 'jobs_delayed',
} as const;

export type SampleColumn =
  | (typeof BIN_COLUMNS)[number]
  | (typeof COUNT_COLUMNS)[keyof typeof COUNT_COLUMNS];
export const SAMPLE_COLUMNS: readonly SampleColumn[] = [
  ...Object.values(COUNT_COLUMNS),
  ...BIN_COLUMNS,
];

type Int = ColumnType<number | string | bigint, number, number>;

export type SeriesSamplesTable = SeriesKey & Record<SampleColumn, Int>;

export type SeriesErrorsTable = SeriesKey & { code: string; failures: Int };

type SeriesKey = { resolution_ms: Int; starts_at: Int; source: string };
