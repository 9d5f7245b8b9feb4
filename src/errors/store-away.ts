// Marks what a durable store throws when it cannot be used just now: away, full, locked, being restarted. The error
// itself stays as it is, for whoever reads its code; at the boundary the mark makes it CAPACITY_EXHAUSTED instead of
// INTERNAL, because it passes by itself. What a store throws at a wrong statement is a defect and is not marked.

const MARK = Symbol.for('spillway.store-away');

/** The same error, marked. */
export function asStoreAway(error: unknown): unknown {
  if (error instanceof Error) Object.defineProperty(error, MARK, { value: true });
  return error;
}

/** Whether it is marked, or was caused by what is. */
export function isStoreAway(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > DEEPEST_CAUSE) return false;
  return MARK in error || isStoreAway(error.cause, depth + 1);
}

const DEEPEST_CAUSE = 5;
