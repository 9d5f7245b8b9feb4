// Primitives for scanning JSON bytes: the end of a string, the end of a value, comparison of a name. They return positions
// in a Buffer and allocate neither strings nor objects. Nested values are not validated: the scan follows strings and
// brackets only. They never throw.

import { MAX_JSON_DEPTH } from '../../kernel/json-depth.ts';

export const TRUNCATED = -1;
export const MALFORMED = -2;
/** The result for a value with more open brackets than a parser should get. */
export const TOO_DEEP = -3;

/** A native search has a start-up cost of 30 ns, the time of a plain loop over about 32 bytes. */
const NEAR_BYTES = 32;

/** Longer numbers occur in attacks only. */
export const MAX_NUMBER = 400;

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const COLON = 0x3a;
export const COMMA = 0x2c;

/** The position of the quote that ends the string whose first byte is at `from`, or TRUNCATED. */
export function endOfString(body: Buffer, from: number): number {
  let at = from;
  let near = at + NEAR_BYTES;
  for (;;) {
    const byte = body[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) {
      // Prose and code contain runs of \" escapes, for which the plain loop is faster.
      if (body[at + 1] === QUOTE) near = at + NEAR_BYTES;
      at += 2;
    } else if (at < near) {
      at += 1;
    } else {
      const quote = body.indexOf(QUOTE, at);
      if (quote < 0) return TRUNCATED;
      if (!isEscaped(body, quote, at)) return quote;
      at = quote + 1;
      near = at + NEAR_BYTES;
    }
  }
}

/** The position after the value that begins at `start`, or TRUNCATED, MALFORMED or TOO_DEEP. */
export function endOfValue(body: Buffer, start: number): number {
  const first = body[start];
  if (first === undefined) return TRUNCATED;
  if (first === QUOTE) {
    const end = endOfString(body, start + 1);
    return end < 0 ? end : end + 1;
  }
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(body, start);
  return endOfScalar(body, start);
}

export function skipSpace(body: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const byte = body[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
}

/** Compares a byte range with an ASCII text without allocating a string. */
export function bytesEqual(body: Buffer, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false;
  for (let index = 0; index < text.length; index += 1) {
    if (body[start + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

/** As `bytesEqual`, with A to Z equal to a to z. */
export function bytesEqualInAnyCase(
  body: Buffer,
  start: number,
  end: number,
  text: string,
): boolean {
  if (end - start !== text.length) return false;
  for (let index = 0; index < text.length; index += 1) {
    const byte = body[start + index] ?? 0;
    const code = text.charCodeAt(index);
    if (byte !== code && (!isLetter(byte) || (byte | 0x20) !== (code | 0x20))) return false;
  }
  return true;
}

/** True for ASCII without escapes: the bytes are the text. */
export function isPlain(body: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = body[at] ?? 0;
    if (byte === BACKSLASH || byte >= 0x80) return false;
  }
  return true;
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

export function isNumberStart(byte: number | undefined): boolean {
  return byte === MINUS || isDigit(byte);
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The bytes that may occur between the strings of a nested value. */
const BETWEEN_STRINGS = new Uint8Array(256);
for (const character of ' \t\r\n,:{}[]+-.0123456789eEtruefalsn')
  BETWEEN_STRINGS[character.charCodeAt(0)] = 1;

/** True when an odd run of backslashes precedes the quote; `from` is outside of an escape. */
function isEscaped(body: Buffer, quote: number, from: number): boolean {
  let run = quote - 1;
  while (run >= from && body[run] === BACKSLASH) run -= 1;
  return ((quote - run) & 1) === 0;
}

/** Iterative, so that depth costs no stack. The value is inside an object, which is one more level. */
function endOfNested(body: Buffer, start: number): number {
  let depth = 1;
  let at = start + 1;
  for (;;) {
    const byte = body[at];
    if (byte === undefined) return TRUNCATED;
    if (byte === QUOTE) {
      at = endOfString(body, at + 1);
      if (at < 0) return TRUNCATED;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      if (depth >= MAX_JSON_DEPTH) return TOO_DEEP;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (BETWEEN_STRINGS[byte] === 0) {
      return MALFORMED;
    }
    at += 1;
  }
}

function endOfScalar(body: Buffer, start: number): number {
  const first = body[start];
  if (isNumberStart(first)) return endOfNumber(body, start);
  const word = first === 0x74 ? 'true' : first === 0x66 ? 'false' : 'null';
  const end = start + word.length;
  if (bytesEqual(body, start, end, word)) return end;
  const rest = body.toString('latin1', start, Math.min(end, body.length));
  return end > body.length && word.startsWith(rest) ? TRUNCATED : MALFORMED;
}

function endOfNumber(body: Buffer, start: number): number {
  let end = start + 1;
  if (body[start] !== MINUS && body[start] !== ZERO) {
    while (isDigit(body[end])) end += 1;
    // A plain count, as nearly every number of a request is.
    if (end - start <= MAX_NUMBER && end < body.length && !isNumberByte(body[end])) return end;
  }
  while (isNumberByte(body[end])) end += 1;
  if (end === body.length) return TRUNCATED;
  if (end - start > MAX_NUMBER) return MALFORMED;
  return NUMBER.test(body.toString('latin1', start, end)) ? end : MALFORMED;
}

const MINUS = 0x2d;
const ZERO = 0x30;

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function isNumberByte(byte: number | undefined): boolean {
  return isNumberStart(byte) || byte === 0x2e || byte === 0x2b || byte === 0x65 || byte === 0x45;
}
