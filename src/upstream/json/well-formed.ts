// Checks that bytes are one JSON value, by their structure: brackets match, keys have values, strings end. Escapes and the
// digits of numbers are not checked. For the frames of a stream: a malformed frame would make the caller's parser throw in
// the middle of an answer. One pass without allocation.

import {
  BACKSLASH,
  bytesEqual,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  endOfString,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './scan.ts';

/** Deeper values are taken as well-formed; no provider nests that far. */
const MAX_DEPTH = 64;
/** The closing bracket of each open value. One walk at a time uses it. */
const closers = new Uint8Array(MAX_DEPTH);

// The expected token. Numbers, because this loop runs for every byte of a stream that is not in a string.
const VALUE = 0;
const VALUE_OR_END = 1;
const KEY = 2;
const KEY_OR_END = 3;
const NEXT = 4;

export function isWellFormed(bytes: Buffer, start: number, end: number): boolean {
  let expected = VALUE;
  let depth = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === undefined || byte <= 0x20) continue;
    if (expected === NEXT) {
      if (depth === 0) return false;
      const closer = closers[depth - 1];
      if (byte === COMMA) expected = closer === CLOSE_BRACE ? KEY : VALUE;
      else if (byte === closer) depth -= 1;
      else return false;
    } else if (byte === QUOTE) {
      at = closeOfString(bytes, at + 1, end);
      if (at >= end) return false;
      if (expected === KEY || expected === KEY_OR_END) {
        at = colonBehind(bytes, at + 1, end);
        if (at >= end) return false;
        expected = VALUE;
      } else expected = NEXT;
    } else if (expected === KEY || expected === KEY_OR_END) {
      if (byte !== CLOSE_BRACE || expected === KEY) return false;
      depth -= 1;
      expected = NEXT;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (depth === MAX_DEPTH) return true;
      closers[depth] = byte === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET;
      depth += 1;
      expected = byte === OPEN_BRACE ? KEY_OR_END : VALUE_OR_END;
    } else if (byte === CLOSE_BRACKET && expected === VALUE_OR_END) {
      depth -= 1;
      expected = NEXT;
    } else {
      at = lastOfScalar(bytes, at, end);
      if (at < 0) return false;
      expected = NEXT;
    }
  }
  return expected === NEXT && depth === 0;
}

/** Keys and short values are found in this loop; a long text is left to the faster search. */
const NEAR_BYTES = 24;

function closeOfString(bytes: Buffer, from: number, end: number): number {
  for (let at = from; at < from + NEAR_BYTES; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) return positionOr(endOfString(bytes, at), end);
  }
  return positionOr(endOfString(bytes, from + NEAR_BYTES), end);
}

function positionOr(at: number, end: number): number {
  return at < 0 ? end : at;
}

/** The position of the colon after a key; `end` when another byte follows. */
function colonBehind(bytes: Buffer, from: number, end: number): number {
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === COLON) return at;
    if (byte > 0x20) return end;
  }
  return end;
}

/** The last byte of a number, `true`, `false` or `null`; -1 for anything else. */
function lastOfScalar(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && isScalarByte(bytes[at] ?? 0)) at += 1;
  const first = bytes[start] ?? 0;
  if (first === MINUS || (first >= ZERO && first <= NINE)) return at - 1;
  const isLiteral =
    bytesEqual(bytes, start, at, 'null') ||
    bytesEqual(bytes, start, at, 'false') ||
    bytesEqual(bytes, start, at, 'true');
  return isLiteral ? at - 1 : -1;
}

const PLUS = 0x2b;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

function isScalarByte(byte: number): boolean {
  if (byte >= ZERO && byte <= NINE) return true;
  const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
  return isLetter || byte === MINUS || byte === PLUS || byte === DOT;
}
