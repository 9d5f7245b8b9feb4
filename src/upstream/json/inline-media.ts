// Measures the media that a request contains as base64 text: images, documents, sound and videos. A provider decodes them, so
// that their tokens depend on pixels, pages and seconds and not on the bytes of the text. The worst case and the estimates
// count them as media by URL. Only data in the place and the form of the vendors' SDKs is measured; all else stays text,
// whose bytes are a bound of its tokens. The cost does not depend on how deeply objects are nested: of an object the first
// few fields are read, and none that is an object. Pure.

import { NameTable } from './name-table.ts';
import {
  BACKSLASH,
  bytesEqual,
  CLOSE_BRACE,
  COLON,
  COMMA,
  endOfString,
  isPlain,
  QUOTE,
  skipSpace,
} from './scan.ts';
import type { JsonKeys } from './walk-keys.ts';

/**
 * The walker is at a `media_type` or `mimeType` of anything but text; the data is the field before or after it. A later field of
 * the object that changes either of them makes it text, because providers take the last of equal names.
 */
export function mediaBesideType({ bytes, keyStart, valueEnd }: JsonKeys): number {
  const before = dataBefore(bytes, keyStart - 1);
  if (before > 0) return endsPlainly(bytes, valueEnd + 1) ? before : 0;
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
/** The fields that decide the type of the data, compared case-insensitively. */
const DECISIVE = new NameTable(['data', 'url', 'media_type', 'mimeType', 'mime_type']);

/** The bytes of the text that the object has under `name`, from the field at `from` on; 0 if it is not among the first. */
function memberBytes(bytes: Buffer, from: number, name: string): number {
  let at = skipSpace(bytes, from);
  for (let member = 0; member < MAX_MEMBERS; member += 1) {
    const value = valueOf(bytes, at, name);
    if (value > 0) return measured(bytes, value, name);
    const comma = skipSpace(bytes, endOfOther(bytes, at));
    if (bytes[comma] !== COMMA) return 0;
    at = skipSpace(bytes, comma + 1);
  }
  return 0;
}

/** The position of the text of the field at `at` if it has the name, else -1. */
function valueOf(bytes: Buffer, at: number, name: string): number {
  const keyEnd = at + name.length + 1;
  if (bytes[at] !== QUOTE || bytes[keyEnd] !== QUOTE) return -1;
  const colon = skipSpace(bytes, keyEnd + 1);
  const value = skipSpace(bytes, colon + 1);
  if (!bytesEqual(bytes, at + 1, keyEnd, name) || bytes[colon] !== COLON) return -1;
  return bytes[value] === QUOTE ? value : -1;
}

/** A URL counts only if it contains the data. */
function measured(bytes: Buffer, quote: number, name: string): number {
  if (name !== 'data' && !isDataUrl(bytes, quote + 1)) return 0;
  const end = endOfString(bytes, quote + 1);
  return end >= 0 && endsPlainly(bytes, end + 1) ? end - quote - 1 : 0;
}

/** Whether the object ends after a few fields that do not change the type of its data. */
function endsPlainly(bytes: Buffer, from: number): boolean {
  let at = skipSpace(bytes, from);
  for (let member = 0; member < MAX_MEMBERS && bytes[at] === COMMA; member += 1)
    at = skipSpace(bytes, endOfOther(bytes, skipSpace(bytes, at + 1)));
  return bytes[at] === CLOSE_BRACE;
}

/** The position after a short field of plain text that is not a decisive one, or the end of the bytes. */
function endOfOther(bytes: Buffer, at: number): number {
  const keyEnd = shortEnd(bytes, at);
  const colon = skipSpace(bytes, keyEnd + 1);
  const valueEnd = bytes[colon] === COLON ? shortEnd(bytes, skipSpace(bytes, colon + 1)) : -1;
  const isOther = valueEnd > 0 && DECISIVE.findInAnyCase(bytes, at + 1, keyEnd) === undefined;
  return isOther ? valueEnd + 1 : bytes.length;
}

/** The closing quote of the short plain text that begins at the quote at `open`, else -1. */
function shortEnd(bytes: Buffer, open: number): number {
  if (bytes[open] !== QUOTE) return -1;
  const length = bytes.subarray(open + 1, open + 1 + MAX_OTHER_BYTES).indexOf(QUOTE);
  const end = open + 1 + length;
  return length >= 0 && isPlain(bytes, open + 1, end) ? end : -1;
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

/** True for a type of media, false for text. */
function isDataUrl(bytes: Buffer, start: number): boolean {
  return /^data:(?:image|audio|video|application)\//i.test(
    bytes.toString('latin1', start, start + 24),
  );
}
