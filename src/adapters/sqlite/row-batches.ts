// The number of rows per statement. A call into SQLite costs about a quarter of a row; larger statements gain nothing.

export const ROWS_PER_STATEMENT = 25;

/** Batches of ROWS_PER_STATEMENT; the last one may be shorter. */
export function* inBatches<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT)
    yield rows.slice(at, at + ROWS_PER_STATEMENT);
}
