// The rate of calls at the provider from their arrival times: the share of the limit used while jobs waited, and the
// number of calls in the busiest second. Pure.

export type PaceLimit = { readonly perWindow: number; readonly windowMs: number };

/** The share of the limit used in each whole window, in order, from the first call to the last. */
export function usedParts(
  arrivals: readonly number[],
  { perWindow, windowMs }: PaceLimit,
): readonly number[] {
  const moments = arrivals.toSorted((a, b) => a - b);
  const [first = 0, last = 0] = [moments[0], moments.at(-1)];
  const counts = Array.from({ length: Math.floor((last - first) / windowMs) }, () => 0);
  for (const at of moments) {
    const index = Math.floor((at - first) / windowMs);
    const before = counts[index];
    if (before !== undefined) counts[index] = before + 1;
  }
  return counts.map((count) => count / perWindow);
}

/**
 * The largest number of delayed calls within any span of this length. The first window's calls are excluded: an idle
 * limit admits all calls of a window at the same time.
 */
export function busiestSpan(
  arrivals: readonly number[],
  spanMs: number,
  { perWindow }: Pick<PaceLimit, 'perWindow'>,
): number {
  const returned = arrivals.toSorted((a, b) => a - b).slice(perWindow);
  let most = 0;
  let from = 0;
  for (const [index, at] of returned.entries()) {
    while (at - (returned[from] ?? at) >= spanMs) from += 1;
    most = Math.max(most, index - from + 1);
  }
  return most;
}
