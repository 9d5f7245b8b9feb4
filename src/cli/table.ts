// Renders tables for a terminal. Cells may contain text of callers: characters that move the cursor, change colours or
// change the writing direction are shown as dots.

export type TableRow = readonly (string | number | undefined | null)[];

export function renderTable(head: readonly string[], rows: readonly TableRow[]): string {
  return alignColumns([head, ...rows].map((row) => row.map(show)));
}

/** The rows with columns of equal width; the first row has the number of columns. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => displayWidth(row[column] ?? ''))),
  );
  return rows
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

/** A timestamp as an ISO time, or a dash. */
export function isoTime(at: number | null | undefined): string {
  return at === null || at === undefined ? '-' : new Date(at).toISOString();
}

function show(value: string | number | undefined | null): string {
  return value === undefined || value === null || value === '' ? '-' : safeText(String(value));
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - displayWidth(cell)));
}

/** A grapheme takes one column, or two in wide scripts. */
function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u;
