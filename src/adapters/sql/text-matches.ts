// Selects rows of a list by a text in any of their fields, case-insensitively. A page examines a window of bounded size
// in the order of the ids, so that its cost does not depend on the number of rows that do not match; the next page
// continues after the window's last row. The comparison runs here, because the stores fold the case of letters
// differently.

/** A few milliseconds for a store in this process. */
export const MAX_EXAMINED = 1000;

type Row = Readonly<Record<string, string | null>> & { readonly id: string };

export type TextMatches = {
  readonly ids: readonly string[];
  /** The `after` of the next page; undefined at the end of the list. */
  readonly next: string | undefined;
};

/** Every field of the rows is compared. The window has at most MAX_EXAMINED rows. */
export function selectMatches(window: readonly Row[], text: string, limit: number): TextMatches {
  const wanted = foldCase(text);
  const ids: string[] = [];
  for (const row of window) {
    if (!Object.values(row).some((value) => foldCase(value ?? '').includes(wanted))) continue;
    if (ids.length === limit) return { ids, next: ids.at(-1) };
    ids.push(row.id);
  }
  return { ids, next: window.length < MAX_EXAMINED ? undefined : window.at(-1)?.id };
}

function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
