// The legs that start the calls of a round-robin alias, in one cycle: each leg appears by its share, spread as evenly as
// possible (smooth weighted round-robin), so that no leg gets its calls in a burst.

/** The longest cycle: shares are exact to one per cent. */
const MAX_STARTS = 100;

/** Indices of legs, never empty. Without weights, or if all of them are zero, the legs take equal turns. */
export function startsByWeight(legs: number, weights: readonly number[]): readonly number[] {
  const shares = toShares(legs, weights);
  const total = shares.reduce((sum, share) => sum + share, 0);
  const credits = shares.map(() => 0);
  const starts: number[] = [];
  while (starts.length < total) {
    for (const [leg, share] of shares.entries()) credits[leg] = (credits[leg] ?? 0) + share;
    const next = credits.indexOf(Math.max(...credits));
    credits[next] = (credits[next] ?? 0) - total;
    starts.push(next);
  }
  return starts.length === 0 ? [0] : starts;
}

/** Small whole numbers in the proportion of the weights; a leg with any weight gets at least one start. */
function toShares(legs: number, weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (sum === 0) return Array.from({ length: legs }, () => 1);
  const shares = weights.map((weight) =>
    weight === 0 ? 0 : Math.max(1, Math.round((weight / sum) * MAX_STARTS)),
  );
  const divisor = shares.reduce(greatestCommonDivisor, 0);
  return shares.map((share) => share / divisor);
}

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other);
}
