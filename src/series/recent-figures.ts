// The cluster's figures over the last minutes, for rules that compare them with a threshold. Rejects while the store is
// unavailable: the reader falls back to figures of its own process, or waits.

import { type Percentiles, percentilesOf } from './percentile.ts';
import { addSamples, EMPTY_SAMPLE, errorsOf, type Sample } from './sample.ts';
import { RESOLUTIONS_MS, type SeriesStore } from './series-store.ts';

export type RecentFigures = {
  readonly requests: number;
  readonly errors: number;
  readonly errorsByCode: Readonly<Record<string, number>>;
  /** 0 to 1; undefined without requests. */
  readonly errorRatio: number | undefined;
  readonly latencyMs: Percentiles;
  /** Undefined without requests. */
  readonly costPerRequestUsd: number | undefined;
  readonly rateLimited: number;
  readonly retries: number;
  /** The covered time, including the current part of a minute: divide by it for a rate. */
  readonly spanMs: number;
};

const NANOS_PER_USD = 1_000_000_000;
const MINUTE_MS = RESOLUTIONS_MS[0];

/** The last `minutes` whole minutes and the present one, summed over all servers. */
export async function recentFigures(
  store: Pick<SeriesStore, 'read'>,
  minutes: number,
  now: number,
): Promise<RecentFigures> {
  const present = now - (now % MINUTE_MS);
  const from = present - minutes * MINUTE_MS;
  const range = { resolutionMs: MINUTE_MS, stepMs: MINUTE_MS, from, to: present + MINUTE_MS };
  const intervals = await store.read(range);
  const sum = intervals.reduce((all, { sample }) => addSamples(all, sample), EMPTY_SAMPLE);
  return figuresOf(sum, now - from);
}

function figuresOf(sum: Sample, spanMs: number): RecentFigures {
  const { requests, retries, rateLimited, costNanos } = sum;
  const errors = errorsOf(sum);
  const hasRequests = requests > 0;
  return {
    requests,
    errors,
    errorsByCode: sum.errors,
    errorRatio: hasRequests ? errors / requests : undefined,
    latencyMs: percentilesOf(sum.latency),
    costPerRequestUsd: hasRequests ? costNanos / NANOS_PER_USD / requests : undefined,
    rateLimited,
    retries,
    spanMs,
  };
}
