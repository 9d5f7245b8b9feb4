// Rows that do not move under the pointer: while a list is held (the pointer or the focus is in it), rows keep their
// order, existing rows are updated in place, removed rows stay as they were, and new rows wait. When it is released,
// the list shows the latest rows.

export type StableRows<Row> = {
  readonly rows: readonly Row[];
  /** New rows that wait until the list is released. */
  readonly waiting: number;
};

export function stableRows<Row>(
  shown: readonly Row[],
  latest: readonly Row[],
  keyOf: (row: Row) => string,
  isHeld: boolean,
): StableRows<Row> {
  if (!isHeld || shown.length === 0) return { rows: latest, waiting: 0 };
  const byKey = new Map(latest.map((row) => [keyOf(row), row]));
  const shownKeys = new Set(shown.map(keyOf));
  return {
    rows: shown.map((row) => byKey.get(keyOf(row)) ?? row),
    waiting: latest.filter((row) => !shownKeys.has(keyOf(row))).length,
  };
}

export type SortOrder = { readonly column: string; readonly isDescending: boolean };

/** `-cost` sorts by cost, the largest first. */
export function parseSort(text: string | undefined): SortOrder | undefined {
  if (!text) return undefined;
  const isDescending = text.startsWith('-');
  return { column: isDescending ? text.slice(1) : text, isDescending };
}

export function sortText({ column, isDescending }: SortOrder): string {
  return `${isDescending ? '-' : ''}${column}`;
}

/** Unknown values come last in both directions. */
export function sortRows<Row>(
  rows: readonly Row[],
  valueOf: (row: Row) => string | number | null,
  isDescending: boolean,
): readonly Row[] {
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [valueOf(a), valueOf(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    if (typeof left === 'string' || typeof right === 'string')
      return sign * String(left).localeCompare(String(right), 'en', { numeric: true });
    return sign * (left - right);
  });
}
