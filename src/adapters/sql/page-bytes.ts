// Chooses the rows of a page by their sizes, which a list reads before the rows: a page of large rows would occupy the
// process.

export type PageBound = { readonly limit: number; readonly maxBytes?: number | undefined };
type SizedRow = { readonly id: string; readonly bytes: number };

/** The rows before which fewer than `maxBytes` were chosen, at most `limit`; `next` is the last one's id if a row follows. */
export function idsWithin(
  rows: readonly SizedRow[],
  { limit, maxBytes = Number.POSITIVE_INFINITY }: PageBound,
): { readonly ids: readonly string[]; readonly next: string | undefined } {
  const ids: string[] = [];
  let bytesBefore = 0;
  for (const { id, bytes } of rows) {
    if (ids.length === limit || bytesBefore >= maxBytes) return { ids, next: ids.at(-1) };
    ids.push(id);
    bytesBefore += bytes;
  }
  return { ids, next: undefined };
}
