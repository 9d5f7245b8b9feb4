// The pace at which calls came to the provider, from the moments of their arrival alone: how much of the limit was used while
// there was somebody waiting, and how many came in the busiest second. Pure.

export type PaceLimit = { readonly perWindow: number; readonly windowMs: number };

/** The parts of the limit that were used in each whole window, one after the other from the first call to the last. */
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
 * The most that came within any span of this length, of those who had to wait: an idle limit admits a whole window's
 * worth at once, and the first calls are that.
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
