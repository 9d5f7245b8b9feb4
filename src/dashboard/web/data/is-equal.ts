// Deep equality of two JSON values. An answer that equals the previous one is not rendered again.

export function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other))
    return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]));
}

/** The rows of a new answer, with equal rows replaced by the known objects: an unchanged row is not rendered again. */
export function keepEqualRows<Row>(
  known: readonly Row[],
  next: readonly Row[],
  keyOf: (row: Row) => string,
): readonly Row[] {
  const byKey = new Map(known.map((row) => [keyOf(row), row]));
  return next.map((row) => {
    const before = byKey.get(keyOf(row));
    return before !== undefined && isEqual(before, row) ? before : row;
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
