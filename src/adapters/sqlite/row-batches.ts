// How many rows go into one statement. A call into SQLite costs as much as a quarter of a row; beyond this many rows
// nothing is gained.

export const ROWS_PER_STATEMENT = 25;

/** In pieces of that many; the last one may be shorter. */
export function* inBatches<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT)
    yield rows.slice(at, at + ROWS_PER_STATEMENT);
}
