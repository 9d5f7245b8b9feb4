// The request counts that alert rules evaluate: of the whole cluster, from the samples in the store; while the store is
// unavailable, only of this process.

import {
  type RequestSource,
  type RequestTotals,
  RequestWindow,
} from '../../alerts/request-counts.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import { readCounters } from '../../series/read-counters.ts';
import { LATENCY_BOUNDS_MS, type Sample } from '../../series/sample.ts';
import { RESOLUTIONS_MS, type SeriesStore } from '../../series/series-store.ts';

export type RequestCounts = {
  /** Counts this process's requests. */
  observe(): void;
  /** The counts within each of the windows, until now. */
  read(windowsMs: readonly number[]): Promise<readonly RequestTotals[]>;
};

const MINUTE_MS = RESOLUTIONS_MS[0];
const NANOS_PER_USD = 1_000_000_000;
const LATENCY_BOUNDS_S = LATENCY_BOUNDS_MS.map((bound) => bound / 1000);

export function openRequestCounts(
  parts: {
    readonly series: Pick<SeriesStore, 'read'>;
    readonly metrics: Metrics;
    readonly clock: Clock;
  },
  maxWindowMs: number,
): RequestCounts {
  const { series, metrics, clock } = parts;
  const own = new RequestWindow(maxWindowMs);
  const cluster = new RequestWindow(maxWindowMs);

  function observe(): void {
    const at = clock.now();
    own.add([{ key: 'own', at, totals: totalsOf(readCounters(metrics)) }], at);
  }

  async function sources(now: number): Promise<readonly RequestSource[]> {
    const present = now - (now % MINUTE_MS);
    // Reads one minute more, so that rows that are saved late are included.
    const from = present - (Math.ceil(maxWindowMs / MINUTE_MS) + 1) * MINUTE_MS;
    const to = present + MINUTE_MS;
    const range = { resolutionMs: MINUTE_MS, stepMs: MINUTE_MS, from, to };
    return (await series.read(range)).map(({ at, sample }) => ({
      key: String(at),
      at: at + MINUTE_MS,
      totals: totalsOf(sample),
    }));
  }

  return {
    observe,
    async read(windowsMs) {
      const now = clock.now();
      let window = cluster;
      try {
        cluster.add(await sources(now), now);
      } catch {
        window = own;
      }
      return windowsMs.map((windowMs) => window.within(windowMs, now));
    },
  };
}

function totalsOf(sample: Sample): RequestTotals {
  const { requests, errors, rateLimited, costNanos, latency } = sample;
  return {
    requests,
    errors,
    rateLimited,
    costUsd: costNanos / NANOS_PER_USD,
    latencyBounds: LATENCY_BOUNDS_S,
    latencies: latency,
  };
}
