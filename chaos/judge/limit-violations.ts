// Counts calls beyond the provider's limit from their arrival times: a call that finds the sliding window full is a
// violation and is not counted in the window. Pure.

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
