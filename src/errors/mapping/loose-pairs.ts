// Key and value pairs out of text that is nearly JSON: a body cut off at our reading limit or by a broken
// connection, a Python dict with single quotes. One pass, nothing is looked at twice, and what makes no
// sense is stepped over. Nesting is not kept; the keys we read mean the same at every depth.

export type LoosePair = { readonly key: string; readonly value: string | number };

export function loosePairs(text: string): LoosePair[] {
  const pairs: LoosePair[] = [];
  let key: string | undefined;
  for (let index = 0; index < text.length && pairs.length < MAX_PAIRS; ) {
    const character = text[index] ?? '';
    if (character === '"' || character === "'") {
      const literal = readQuoted(text, index);
      index = literal.end;
      if (key === undefined && isColonNext(text, index)) key = literal.value;
      else {
        if (key !== undefined) pairs.push({ key, value: literal.value });
        key = undefined;
      }
    } else if (key !== undefined && isNumeral(character)) {
      const end = endOfNumber(text, index);
      pairs.push({ key, value: Number(text.slice(index, end)) });
      key = undefined;
      index = end;
    } else {
      if (character === ',' || character === '{' || character === '[') key = undefined;
      index += 1;
    }
  }
  return pairs;
}

const MAX_PAIRS = 60;

function readQuoted(text: string, start: number): { value: string; end: number } {
  const quote = text[start];
  let value = '';
  let from = start + 1;
  for (let index = from; index < text.length; index += 1) {
    const character = text[index];
    if (character === quote) return { value: value + text.slice(from, index), end: index + 1 };
    if (character !== '\\') continue;
    const escaped = text[index + 1] ?? '';
    value += text.slice(from, index) + (ESCAPES[escaped] ?? escaped);
    index += 1;
    from = index + 1;
  }
  return { value: value + text.slice(from), end: text.length };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function isColonNext(text: string, start: number): boolean {
  let index = start;
  while (text[index] === ' ' || text[index] === '\n') index += 1;
  return text[index] === ':';
}

function isNumeral(character: string): boolean {
  return character >= '0' && character <= '9';
}

function endOfNumber(text: string, start: number): number {
  let index = start;
  while (isNumeral(text[index] ?? '') || text[index] === '.') index += 1;
  return index;
}
