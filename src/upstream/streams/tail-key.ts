// Finds a key in an event that lost its middle. Only the end of such an event is read, so it is walked backwards: the number
// of brackets that close after a key is its depth. A response repeats texts of its request, such as its metadata, after
// its usage: a key or a text of the same name at another depth is not the provider's. One pass without allocation.

import {
  BACKSLASH,
  bytesEqual,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
} from '../json/scan.ts';

/** The position of the key's value; -1 if the bytes contain no such key at the depth. `end` is the end of the whole JSON. */
export function findTailKey(
  bytes: Buffer,
  start: number,
  end: number,
  name: string,
  depth: number,
): number {
  let closed = 0;
  for (let at = end - 1; at >= start; at -= 1) {
    const byte = bytes[at];
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) closed += 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) closed -= 1;
    else if (byte === QUOTE) {
      const open = openingQuote(bytes, at - 1, start);
      if (open < 0) return -1;
      if (closed === depth && bytesEqual(bytes, open + 1, at, name)) {
        const colon = skipSpace(bytes, at + 1);
        if (bytes[colon] === COLON) return skipSpace(bytes, colon + 1);
      }
      at = open;
    }
  }
  return -1;
}

/** The quote that begins the string whose last byte is at `from`; -1 if it begins before `start`. */
function openingQuote(bytes: Buffer, from: number, start: number): number {
  let at = from;
  while (at > start) {
    at = bytes.lastIndexOf(QUOTE, at);
    if (at < start || !isEscaped(bytes, at, start)) break;
    at -= 1;
  }
  return at >= start && bytes[at] === QUOTE ? at : -1;
}

function isEscaped(bytes: Buffer, quote: number, start: number): boolean {
  let run = quote - 1;
  while (run >= start && bytes[run] === BACKSLASH) run -= 1;
  return ((quote - run) & 1) === 0;
}
