// Divides the work on a large body into turns of the event loop. Parsing, writing and storing thirty megabytes takes a tenth of a
// second each; without a pause in between, other requests wait for the sum.

/** Below this size a step takes a few milliseconds. */
export const LARGE_TEXT_BYTES = 2 ** 20;

/** Resolves in a later turn of the event loop after a step on `bytes` bytes; undefined if the step was short. */
export function turnAfter(bytes: number): Promise<void> | undefined {
  if (bytes < LARGE_TEXT_BYTES) return undefined;
  return new Promise((resolve) => void setImmediate(resolve));
}
