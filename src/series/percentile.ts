// Percentiles from a latency histogram: linear within the bin that contains the rank. Above the last bound the answer is
// that bound: the histogram has no bin above it.

import { LATENCY_BOUNDS_MS } from './sample.ts';

export type Percentiles = {
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
};

export function percentilesOf(latency: readonly number[]): Percentiles {
  return {
    p50: percentile(latency, 0.5),
    p95: percentile(latency, 0.95),
    p99: percentile(latency, 0.99),
  };
}

/** `rank` is between 0 and 1. Null without measurements. */
export function percentile(latency: readonly number[], rank: number): number | null {
  const total = latency.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = rank * total;
  let below = 0;
  for (const [bin, count] of latency.entries()) {
    if (count > 0 && below + count >= wanted) {
      const from = bin === 0 ? 0 : boundOf(bin - 1);
      return Math.round(from + (boundOf(bin) - from) * ((wanted - below) / count));
    }
    below += count;
  }
  return boundOf(latency.length - 1);
}

function boundOf(bin: number): number {
  return LATENCY_BOUNDS_MS[Math.min(bin, LATENCY_BOUNDS_MS.length - 1)] ?? 0;
}
