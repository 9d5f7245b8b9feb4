// How many calls came to the provider beyond its limit, from the moments of their arrival alone: a window slides over them
// and holds at most so many; whoever finds it full is a violation and does not count for those after it. Pure.

export function limitViolations(
  arrivals: readonly number[],
  limit: number,
  windowMs: number,
): number {
  const admitted: number[] = [];
  let from = 0;
  let violations = 0;
  for (const at of arrivals.toSorted((a, b) => a - b)) {
    while ((admitted[from] ?? at) <= at - windowMs) from += 1;
    if (admitted.length - from < limit) admitted.push(at);
    else violations += 1;
  }
  return violations;
}
