// What a queue before a limit was like, from two moments of each request: since when it waited, and when it came to the
// provider. How long the queue was; when there was one; how much of the provider's limit was used meanwhile. Pure.

import { type PaceLimit, usedParts } from '../../chaos/judge/pace.ts';

/** Two moments on one clock. */
export type Span = { readonly from: number; readonly to: number };

/**
 * The stretches of time in which at least one of the spans lasts, in order and apart from each other; pauses no longer than
 * `pauseMs` belong to them.
 */
export function stretchesOf(spans: readonly Span[], pauseMs = 0): readonly Span[] {
  const stretches: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    if (span.to <= span.from) continue;
    const last = stretches.at(-1);
    if (!last || last.to + pauseMs < span.from) stretches.push(span);
    else stretches.splice(-1, 1, { from: last.from, to: Math.max(last.to, span.to) });
  }
  return stretches;
}

export function lengthOf(stretches: readonly Span[]): number {
  return stretches.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** The most spans that last at one moment. */
export function mostAtOnce(spans: readonly Span[]): number {
  let [most, now] = [0, 0];
  for (const { change } of changesOf(spans)) {
    now += change;
    most = Math.max(most, now);
  }
  return most;
}

/**
 * The parts of the limit that were used in each whole window of these stretches, one after the other. The first window of
 * a stretch is the full one that made others wait: a burst may use a window at once, and those who come back after it
 * are spread over the next.
 */
export function usedDuring(
  stretches: readonly Span[],
  callsAt: readonly number[],
  limit: PaceLimit,
): readonly number[] {
  const moments = callsAt.toSorted((one, other) => one - other);
  return stretches.flatMap(({ from, to }, index) => {
    const notBefore = Math.max(
      stretches[index - 1]?.to ?? Number.NEGATIVE_INFINITY,
      from - limit.windowMs,
    );
    const calls = moments.filter((at) => at > notBefore && at <= to);
    const start = fullestStart(calls, from, limit);
    return usedParts(
      calls.filter((at) => at >= start),
      limit,
    );
  });
}

/** The first call, of those up to this moment, after which the most came within a window. */
function fullestStart(calls: readonly number[], upTo: number, { windowMs }: PaceLimit): number {
  let [start, most, end] = [calls[0] ?? upTo, 0, 0];
  for (const [index, at] of calls.entries()) {
    if (at > upTo) break;
    while ((calls[end] ?? Number.POSITIVE_INFINITY) < at + windowMs) end += 1;
    if (end - index > most) [start, most] = [at, end - index];
  }
  return start;
}

/** The smallest of the values that so large a part of them does not exceed. */
export function quantileOf(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}

/** Who leaves makes place before who comes at the same moment. */
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
