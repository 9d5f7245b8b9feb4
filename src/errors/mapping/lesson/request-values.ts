// The values of a request that a provider can place in a sentence as a whole: each string of the body, each number, the parts
// of the path and the headers. Providers also name a part of a value, such as the model without the vendor before it, so that
// the parts of a short value count as well. The name of a field counts if it has several words and no provider uses it: names
// such as `limit` are parameters of ordinary tools, and a provider refuses an unknown field with a 400. Reads any text, JSON or
// not.

import { knownField } from '../reading/request-field.ts';

export type SentValues = {
  /** Decoded. */
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: string;
};

export function* requestValues({ path, headers, body }: SentValues): Generator<string, void> {
  yield* partsOf(path);
  for (const header of headers) yield* partsOf(header);
  yield* valuesIn(body, NESTED_DEPTH);
}

/** The arguments of a tool call are JSON in a string. */
const NESTED_DEPTH = 1;

function* valuesIn(json: string, depth: number): Generator<string, void> {
  let from = 0;
  for (;;) {
    const open = json.indexOf('"', from);
    const close = open < 0 ? -1 : endOfString(json, open + 1);
    if (close < 0) return yield* between(json.slice(from));
    yield* between(json.slice(from, open));
    from = close + 1;
    const value = decoded(json.slice(open + 1, close));
    if (isOrdinary(value) && isName(json, from)) continue;
    if (depth > 0 && NESTED.test(value)) yield* valuesIn(value, depth - 1);
    else yield* partsOf(value);
  }
}

const ONE_WORD = /^[a-z\d]{1,40}$/i;
const NESTED = /^\s{0,8}[[{]/;
const COLON = /\s{0,8}:/y;

function isOrdinary(name: string): boolean {
  return ONE_WORD.test(name) || knownField(name) !== undefined;
}

function isName(json: string, end: number): boolean {
  COLON.lastIndex = end;
  return COLON.test(json);
}

/** -1 if the string does not end. */
function endOfString(json: string, from: number): number {
  for (let index = from; index < json.length; index += 1) {
    const code = json.charCodeAt(index);
    if (code === QUOTE) return index;
    if (code === BACKSLASH) index += 1;
  }
  return -1;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Numbers in JSON, lines in anything else. A single digit, such as a temperature, is a part of too many times. */
function* between(text: string): Generator<string, void> {
  if (!ANY_WORD.test(text)) return;
  for (const piece of text.split(STRUCTURE)) if (!ONE_DIGIT.test(piece)) yield piece;
}

const ANY_WORD = /[^\s,:[\]{}]/;
const ONE_DIGIT = /^\s{0,8}\d?\s{0,8}$/;
const STRUCTURE = /[\n,:[\]{}]+/;

function* partsOf(value: string): Generator<string, void> {
  yield value;
  if (value.length <= MAX_NAME_LENGTH && PART_ENDS.test(value)) yield* value.split(PART_ENDS);
}

const MAX_NAME_LENGTH = 256;
/** Prose has a space behind a colon, a name has none. */
const PART_ENDS = /[/:=@|?&](?!\s)|\n/;

function decoded(inner: string): string {
  if (!inner.includes('\\')) return inner;
  try {
    return String(JSON.parse(`"${inner}"`));
  } catch {
    return inner.replaceAll('\\', ' ');
  }
}
