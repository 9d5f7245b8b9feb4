// The pages of a list that a viewer has opened: the first page is refreshed, later pages stay as they were read, and a
// row that is on two pages is shown once, from the fresher page.

export function mergePages<Row>(
  first: readonly Row[],
  later: readonly Row[],
  keyOf: (row: Row) => string,
): readonly Row[] {
  if (later.length === 0) return first;
  const known = new Set(first.map(keyOf));
  return [...first, ...later.filter((row) => !known.has(keyOf(row)))];
}
