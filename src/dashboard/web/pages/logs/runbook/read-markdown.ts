// Reads the part of Markdown that the runbook uses: headings, paragraphs, lists, tables, code. The result is data; the page
// renders it as text, so no markup of the document reaches the browser as markup.

export type Inline = { readonly kind: 'text' | 'code' | 'strong'; readonly text: string };

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string; readonly id: string }
  | { readonly kind: 'paragraph'; readonly inlines: readonly Inline[] }
  | { readonly kind: 'list'; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly kind: 'code'; readonly text: string };

const LIST_ITEM = /^(?:[-*]|\d+\.)\s+/;

export function readMarkdown(text: string): readonly Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const end = blockEnd(lines, at);
    if (line.trim() !== '') blocks.push(readBlock(lines.slice(at, end)));
    at = Math.max(end, at + 1);
  }
  return blocks;
}

/** The id of a heading as in the links of the alerts: lower case, dashes for spaces. */
export function headingId(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-');
}

export function readInlines(text: string): readonly Inline[] {
  const plain = text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return plain
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .filter((part) => part !== '')
    .map((part) => {
      if (part.startsWith('`') && part.endsWith('`') && part.length > 2) {
        return { kind: 'code', text: part.slice(1, -1) };
      }
      if (part.startsWith('**') && part.endsWith('**') && part.length > 4) {
        return { kind: 'strong', text: part.slice(2, -2) };
      }
      return { kind: 'text', text: part };
    });
}

/** The index after the last line of the block that begins at `at`. */
function blockEnd(lines: readonly string[], at: number): number {
  const line = lines[at] ?? '';
  if (line.startsWith('#') || line.trim() === '') return at + 1;
  if (line.startsWith('```')) {
    const close = lines.findIndex((each, index) => index > at && each.startsWith('```'));
    return close === -1 ? lines.length : close + 1;
  }
  const end = lines.findIndex(
    (each, index) => index > at && (each.trim() === '' || /^(#|```)/.test(each)),
  );
  return end === -1 ? lines.length : end;
}

function readBlock(lines: readonly string[]): Block {
  const [first = ''] = lines;
  const heading = /^(#+)\s+(.*)$/.exec(first);
  if (heading) {
    const text = (heading[2] ?? '').replaceAll('`', '');
    return { kind: 'heading', level: heading[1]?.length ?? 1, text, id: headingId(text) };
  }
  if (first.startsWith('```')) return { kind: 'code', text: lines.slice(1, -1).join('\n') };
  if (first.startsWith('|')) return { kind: 'table', rows: tableRows(lines) };
  if (LIST_ITEM.test(first)) return { kind: 'list', items: listItems(lines) };
  return { kind: 'paragraph', inlines: readInlines(lines.join(' ')) };
}

function tableRows(lines: readonly string[]): readonly (readonly (readonly Inline[])[])[] {
  return lines
    .filter((line) => !/^\|[\s:|-]+\|$/.test(line.trim()))
    .map((line) => {
      const cells = line.trim().replace(/^\|/, '').replace(/\|$/, '').split('|');
      return cells.map((cell) => readInlines(cell.trim()));
    });
}

/** A line that does not begin with a mark continues the previous item. */
function listItems(lines: readonly string[]): readonly (readonly Inline[])[] {
  const items: string[] = [];
  for (const line of lines) {
    if (LIST_ITEM.test(line)) items.push(line.replace(LIST_ITEM, ''));
    else items[items.length - 1] = `${items.at(-1) ?? ''} ${line.trim()}`;
  }
  return items.map(readInlines);
}
