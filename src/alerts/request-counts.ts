// Counts of requests within a window, from totals that only grow: of this process's metrics, or of rows of the time series.
// Each reading adds the growth since the previous one, so that windows may be shorter or longer than a row. Pure.

/** Totals since the start of their source. Latencies: one count per upper bound in seconds, the last beyond all bounds. */
export type RequestTotals = {
  readonly requests: number;
  readonly errors: Readonly<Record<string, number>>;
  readonly rateLimited: number;
  readonly costUsd: number;
  readonly latencyBounds: readonly number[];
  readonly latencies: readonly number[];
};

export type RequestSource = {
  /** Identifies the source of the totals over all readings. */
  readonly key: string;
  /** When the totals were counted: growth since the previous reading gets this timestamp. */
  readonly at: number;
  readonly totals: RequestTotals;
};

type Growth = { readonly at: number; readonly totals: RequestTotals };

export const NO_REQUESTS: RequestTotals = Object.freeze({
  requests: 0,
  errors: {},
  rateLimited: 0,
  costUsd: 0,
  latencyBounds: [],
  latencies: [],
});

export class RequestWindow {
  readonly #maxMs: number;
  #last = new Map<string, RequestTotals>();
  #growths: Growth[] = [];

  /** `maxMs` is the longest window that callers request. */
  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  /** All current sources; a source that is no longer listed is forgotten. */
  add(sources: readonly RequestSource[], now: number): void {
    const last = new Map<string, RequestTotals>();
    for (const { key, at, totals } of sources) {
      const growth = difference(totals, this.#last.get(key) ?? NO_REQUESTS);
      if (growth.requests > 0 || growth.rateLimited > 0)
        this.#growths.push({ at: Math.min(at, now), totals: growth });
      last.set(key, totals);
    }
    this.#last = last;
    this.#growths = this.#growths.filter(({ at }) => at > now - this.#maxMs);
  }

  within(windowMs: number, now: number): RequestTotals {
    return this.#growths
      .filter(({ at }) => at > now - windowMs)
      .reduce((sum, { totals }) => combine(sum, totals, 1), NO_REQUESTS);
  }
}

/**
 * The percentile of a share, such as 0.99, interpolated within its bucket; just above the last bound if it lies in no
 * bucket.
 */
export function percentile(
  { latencies, latencyBounds }: Pick<RequestTotals, 'latencies' | 'latencyBounds'>,
  share: number,
): number | undefined {
  const total = latencies.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let rank = share * total;
  for (const [index, count] of latencies.entries()) {
    const upper = latencyBounds[index];
    const lower = latencyBounds[index - 1] ?? 0;
    if (rank <= count && count > 0)
      return upper === undefined ? beyond(lower) : lower + (upper - lower) * (rank / count);
    rank -= count;
  }
  return beyond(latencyBounds.at(-1) ?? 0);
}

/** Just above the last bound, so that it exceeds a threshold equal to that bound. */
function beyond(bound: number): number {
  return bound * 1.001;
}

function difference(now: RequestTotals, before: RequestTotals): RequestTotals {
  // Totals that have shrunk come from a new process.
  return now.requests < before.requests ? now : combine(now, before, -1);
}

function combine(one: RequestTotals, other: RequestTotals, sign: 1 | -1): RequestTotals {
  const codes = new Set([...Object.keys(one.errors), ...Object.keys(other.errors)]);
  const errors: Record<string, number> = {};
  for (const code of codes)
    errors[code] = (one.errors[code] ?? 0) + sign * (other.errors[code] ?? 0);
  const bounds = one.latencyBounds.length > 0 ? one.latencyBounds : other.latencyBounds;
  const length = Math.max(one.latencies.length, other.latencies.length);
  return {
    requests: one.requests + sign * other.requests,
    errors,
    rateLimited: one.rateLimited + sign * other.rateLimited,
    costUsd: one.costUsd + sign * other.costUsd,
    latencyBounds: bounds,
    latencies: Array.from(
      { length },
      (_, index) => (one.latencies[index] ?? 0) + sign * (other.latencies[index] ?? 0),
    ),
  };
}
