// The legs that start the calls of a round-robin alias, in one cycle: each leg appears in proportion to its weight, spread as
// evenly as possible, so that no leg gets its calls in a burst.

import { WeightedTurns } from './weighted-turns.ts';

/** The longest cycle: shares are exact to one per cent. */
const MAX_STARTS = 100;

/** Indices of legs, never empty. Without weights, or if all of them are zero, the legs take equal turns. */
export function startsByWeight(legs: number, weights: readonly number[]): readonly number[] {
  const shares = toShares(legs, weights);
  const total = shares.reduce((sum, share) => sum + share, 0);
  const turns = new WeightedTurns<number>((leg) => shares[leg] ?? 0);
  const all = [...shares.keys()];
  const starts = Array.from({ length: total }, () => turns.next(all)[0] ?? 0);
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
