// Extracts key-value pairs from text that is almost JSON: a body cut at the reading limit or by a broken
// connection, or a Python dict with single quotes. One pass; unparseable characters are skipped. Nesting is
// not tracked, because the keys mean the same at every depth.

export type LoosePair = { readonly key: string; readonly value: string | number };

export function loosePairs(text: string): LoosePair[] {
  const pairs: LoosePair[] = [];
  let key: string | undefined;
  let literalsLeft = MAX_LITERALS;
  for (let index = 0; index < text.length && literalsLeft > 0; ) {
    const code = text.charCodeAt(index);
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
      literalsLeft -= 1;
      const literal = readQuoted(text, index);
      index = literal.end;
      if (key === undefined && isColonNext(text, index)) key = literal.value;
      else {
        if (key !== undefined) pairs.push({ key, value: literal.value });
        key = undefined;
      }
    } else if (key !== undefined && isNumeral(code)) {
      const end = endOfNumber(text, index);
      pairs.push({ key, value: Number(text.slice(index, end)) });
      key = undefined;
      index = end;
    } else {
      if (code === COMMA || code === BRACE || code === BRACKET) key = undefined;
      index += 1;
    }
  }
  return pairs;
}

const MAX_LITERALS = 60;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const COMMA = 44;
const BRACKET = 91;
const BRACE = 123;
const BACKSLASH = 92;
const SPACE = 32;
const COLON = 58;

function readQuoted(text: string, start: number): { value: string; end: number } {
  const quote = text.charCodeAt(start);
  let value = '';
  let from = start + 1;
  for (let index = from; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) return { value: value + text.slice(from, index), end: index + 1 };
    if (code !== BACKSLASH) continue;
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
  while (text.charCodeAt(index) <= SPACE) index += 1;
  return text.charCodeAt(index) === COLON;
}

function isNumeral(code: number): boolean {
  return code >= 48 && code <= 57;
}

function endOfNumber(text: string, start: number): number {
  let index = start;
  while (isNumeral(text.charCodeAt(index)) || text[index] === '.') index += 1;
  return index;
}
