// The shares of an alias' targets, from the weights of a peer's deployments or targets.

export type WeightedTarget = { readonly target: string; readonly weight: number };

/** Undefined if the targets take equal turns anyway. Deployments behind one target add up. */
export function weightsOf(
  weighted: readonly WeightedTarget[],
): Readonly<Record<string, number>> | undefined {
  const weights = new Map<string, number>();
  for (const { target, weight } of weighted)
    weights.set(target, (weights.get(target) ?? 0) + weight);
  const values = [...weights.values()];
  const areEqual = new Set(values).size <= 1;
  if (areEqual || values.every((value) => value === 0)) return undefined;
  return Object.fromEntries([...weights].map(([target, value]) => [target, toShare(value)]));
}

/** Shares of nested branches are products of fractions; six digits are precise enough. */
function toShare(value: number): number {
  return Number(Math.min(value, 1_000_000).toFixed(6));
}
