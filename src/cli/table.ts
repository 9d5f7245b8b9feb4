// Rows as columns for a terminal. What stands in them may come from outside: characters that move the cursor,
// change colours or turn the direction of writing are shown as dots.

export type TableRow = readonly (string | number | undefined | null)[];

export function renderTable(head: readonly string[], rows: readonly TableRow[]): string {
  const cells = [head, ...rows].map((row) => row.map(show));
  const widths = head.map((_, column) =>
    Math.max(...cells.map((row) => displayWidth(row[column] ?? ''))),
  );
  return cells
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function safeText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '·');
}

/** A moment as people and other programs read it. */
export function isoTime(at: number | null | undefined): string {
  return at === null || at === undefined ? '-' : new Date(at).toISOString();
}

function show(value: string | number | undefined | null): string {
  return value === undefined || value === null || value === '' ? '-' : safeText(String(value));
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - displayWidth(cell)));
}

/** What a person sees as one sign is one column wide; wide scripts take two. */
function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of SIGNS.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

const SIGNS = new Intl.Segmenter('en', { granularity: 'grapheme' });
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u;
