// Marks errors of a durable store that is temporarily unavailable: unreachable, full, locked or restarting.
// The error object is unchanged apart from the mark, so adapters can still read its driver code. At the
// boundary the mark turns it into CAPACITY_EXHAUSTED instead of INTERNAL, because the condition passes. An
// error from a wrong statement is a defect and is not marked.

const MARK = Symbol.for('spillway.store-unavailable');

/** Marks the error and returns it. */
export function markStoreUnavailable(error: unknown): unknown {
  if (error instanceof Error) Object.defineProperty(error, MARK, { value: true });
  return error;
}

/** Whether the error or a cause of it is marked. */
export function isStoreUnavailable(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > MAX_CAUSE_DEPTH) return false;
  return MARK in error || isStoreUnavailable(error.cause, depth + 1);
}

const MAX_CAUSE_DEPTH = 5;
