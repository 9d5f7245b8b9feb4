// Measures the media that a request contains as base64 text: images, documents, sound and videos. A provider decodes them, so
// that their tokens depend on pixels, pages and seconds and not on the bytes of the text. The worst case and the estimates
// count them as media by URL. Only data in the place and the form of the vendors' SDKs is measured; all else stays text,
// whose bytes are a bound of its tokens. The cost does not depend on how deeply objects are nested: of an object the first
// few fields are read, and none that is an object. Pure.

import { BACKSLASH, bytesEqual, COLON, COMMA, endOfString, QUOTE, skipSpace } from './scan.ts';
import type { JsonKeys } from './walk-keys.ts';

/** The walker is at a `media_type` or `mimeType` of anything but text; the data is the field before or behind it. */
export function mediaBesideType({ bytes, keyStart, valueEnd }: JsonKeys): number {
  const before = dataBefore(bytes, keyStart - 1);
  if (before > 0) return before;
  const comma = skipSpace(bytes, valueEnd + 1);
  return bytes[comma] === COMMA ? memberBytes(bytes, comma + 1, 'data') : 0;
}

/** The walker is at a field with a data URL, or with an object that has it under `name`. */
export function mediaInValue(keys: JsonKeys, name: string): number {
  const { bytes, valueStart, valueEnd } = keys;
  if (keys.isText()) return isDataUrl(bytes, valueStart + 1) ? valueEnd - valueStart - 1 : 0;
  return keys.isObject() ? memberBytes(bytes, valueStart + 1, name) : 0;
}

/** SDKs write at most a format or a level of detail beside the data. */
const MAX_MEMBERS = 4;
const MAX_OTHER_BYTES = 256;

/** The bytes of the text that the object has under `name`, from the field at `from` on; 0 if it is not among the first. */
function memberBytes(bytes: Buffer, from: number, name: string): number {
  let at = skipSpace(bytes, from);
  for (let member = 0; member < MAX_MEMBERS && bytes[at] === QUOTE; member += 1) {
    const keyEnd = shortEnd(bytes, at + 1);
    if (keyEnd < 0) return 0;
    const colon = skipSpace(bytes, keyEnd + 1);
    const value = skipSpace(bytes, colon + 1);
    if (bytes[colon] !== COLON || bytes[value] !== QUOTE) return 0;
    if (bytesEqual(bytes, at + 1, keyEnd, name)) return measured(bytes, value, name);
    const end = shortEnd(bytes, value + 1);
    const comma = end < 0 ? end : skipSpace(bytes, end + 1);
    if (comma < 0 || bytes[comma] !== COMMA) return 0;
    at = skipSpace(bytes, comma + 1);
  }
  return 0;
}

/** A URL counts only if it contains the data. */
function measured(bytes: Buffer, quote: number, name: string): number {
  if (name !== 'data' && !isDataUrl(bytes, quote + 1)) return 0;
  const end = endOfString(bytes, quote + 1);
  return end < 0 ? 0 : end - quote - 1;
}

function shortEnd(bytes: Buffer, from: number): number {
  const end = bytes.subarray(from, from + MAX_OTHER_BYTES).indexOf(QUOTE);
  return end < 0 || bytes[from + end - 1] === BACKSLASH ? -1 : from + end;
}

/** The bytes of a field `data` that ends before the quote at `next`. Base64 has no escapes, so a quote begins its text. */
function dataBefore(bytes: Buffer, next: number): number {
  const comma = spaceBefore(bytes, next - 1);
  if (bytes[comma] !== COMMA) return 0;
  const close = spaceBefore(bytes, comma - 1);
  if (bytes[close] !== QUOTE) return 0;
  const open = bytes.lastIndexOf(QUOTE, close - 1);
  const colon = spaceBefore(bytes, open - 1);
  if (open < 0 || bytes[colon] !== COLON) return 0;
  const nameEnd = spaceBefore(bytes, colon - 1) + 1;
  const name = nameEnd - DATA.length;
  const isData = bytesEqual(bytes, name, nameEnd, DATA) && bytes[name - 1] !== BACKSLASH;
  return isData ? close - open - 1 : 0;
}

const DATA = '"data"';

function spaceBefore(bytes: Buffer, from: number): number {
  let at = from;
  while (at >= 0 && (bytes[at] ?? 0) <= 0x20) at -= 1;
  return at;
}

/** Of media, and not of text. */
function isDataUrl(bytes: Buffer, start: number): boolean {
  return /^data:(?:image|audio|video|application)\//i.test(
    bytes.toString('latin1', start, start + 24),
  );
}
