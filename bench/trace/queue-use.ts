// Queue statistics from two timestamps per request: the start of its wait and its arrival at the provider. Gives the
// queue's length, the periods with a queue, and the use of the provider's limit in them. Pure.

import { type PaceLimit, usedParts } from '../../chaos/judge/pace.ts';

/** Two timestamps of one clock. */
export type Span = { readonly from: number; readonly to: number };

/**
 * The union of the spans as disjoint, ordered periods; a gap of at most `pauseMs` does not split a period.
 */
export function periodsOf(spans: readonly Span[], pauseMs = 0): readonly Span[] {
  const periods: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    if (span.to <= span.from) continue;
    const last = periods.at(-1);
    if (!last || last.to + pauseMs < span.from) periods.push(span);
    else periods.splice(-1, 1, { from: last.from, to: Math.max(last.to, span.to) });
  }
  return periods;
}

export function lengthOf(periods: readonly Span[]): number {
  return periods.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** The largest number of overlapping spans. */
export function maxOverlap(spans: readonly Span[]): number {
  let [most, now] = [0, 0];
  for (const { change } of changesOf(spans)) {
    now += change;
    most = Math.max(most, now);
  }
  return most;
}

/**
 * The share of the limit used in each consecutive whole window of these periods. The windows of a period begin with the full
 * window that caused the queue: a burst may use all of it at its start, and the delayed calls are spread over the next window.
 */
export function usedDuring(
  periods: readonly Span[],
  callsAt: readonly number[],
  limit: PaceLimit,
): readonly number[] {
  const times = callsAt.toSorted((one, other) => one - other);
  return periods.flatMap(({ from, to }, index) => {
    const notBefore = Math.max(
      periods[index - 1]?.to ?? Number.NEGATIVE_INFINITY,
      from - limit.windowMs,
    );
    const calls = times.filter((at) => at > notBefore && at <= to);
    const start = fullestStart(calls, from, limit);
    return usedParts(
      calls.filter((at) => at >= start),
      limit,
    );
  });
}

/** The call up to this timestamp that starts the window with the most calls. */
function fullestStart(calls: readonly number[], upTo: number, { windowMs }: PaceLimit): number {
  let [start, most, end] = [calls[0] ?? upTo, 0, 0];
  for (const [index, at] of calls.entries()) {
    if (at > upTo) break;
    while ((calls[end] ?? Number.POSITIVE_INFINITY) < at + windowMs) end += 1;
    if (end - index > most) [start, most] = [at, end - index];
  }
  return start;
}

/** The smallest value that at least the given share of the values does not exceed. */
export function quantileOf(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}

/** At equal timestamps departures are counted before arrivals. */
function changesOf(spans: readonly Span[]) {
  return spans
    .flatMap(({ from, to }) =>
      to > from
        ? [
            { at: from, change: 1 },
            { at: to, change: -1 },
          ]
        : [],
    )
    .sort((one, other) => one.at - other.at || one.change - other.change);
}
