// Names of JSON fields, grouped by length: a name of a body is compared with those of its own length only. Most names of a
// body have no counterpart of their length and cost one lookup. The names are ASCII.

import { bytesEqual, bytesEqualInAnyCase } from './scan.ts';

const NONE: readonly string[] = Object.freeze([]);

export class NameTable {
  readonly names: readonly string[];
  /** The length of the longest name. */
  readonly maxLength: number;
  readonly #byLength: (readonly string[])[];
  readonly #decoded: Buffer;

  constructor(names: readonly string[]) {
    this.names = names;
    this.maxLength = names.reduce((most, { length }) => Math.max(most, length), 0);
    this.#decoded = Buffer.alloc(this.maxLength + 1);
    this.#byLength = Array.from({ length: this.maxLength + 1 }, (_, length) => {
      const ofLength = names.filter((name) => name.length === length);
      return ofLength.length === 0 ? NONE : ofLength;
    });
  }

  /** The name that the bytes spell. */
  find(body: Buffer, start: number, end: number): string | undefined {
    if (end - start > this.maxLength) return undefined;
    for (const name of this.#byLength[end - start] ?? NONE)
      if (bytesEqual(body, start, end, name)) return name;
    return undefined;
  }

  /** The name that the bytes spell, ignoring case. */
  findInAnyCase(body: Buffer, start: number, end: number): string | undefined {
    if (end - start > this.maxLength) return undefined;
    for (const name of this.#byLength[end - start] ?? NONE)
      if (bytesEqualInAnyCase(body, start, end, name)) return name;
    return undefined;
  }

  /**
   * The name that the bytes of a JSON string spell with escapes or letters beyond ASCII. `other_case`: they spell it but for
   * the case of its letters. Undefined for no name, null for a broken escape or malformed UTF-8. Callers may send millions of
   * such names, so nothing is parsed or allocated.
   */
  findDecoded(body: Buffer, start: number, end: number): DecodedName | undefined | null {
    const length = decodeName(body, start, end, this.#decoded);
    if (length === null) return null;
    if (length <= 0 || length > this.maxLength) return undefined;
    const name = this.findInAnyCase(this.#decoded, 0, length);
    if (name === undefined) return undefined;
    return { name, isExact: this.find(this.#decoded, 0, length) !== undefined };
  }
}

export type DecodedName = { readonly name: string; readonly isExact: boolean };

/** Letters beyond ASCII that have an ASCII letter as their other case. */
const FOLDED: ReadonlyMap<number, number> = new Map([
  [0x212a, 0x6b],
  [0x17f, 0x73],
  [0x131, 0x69],
]);

/** Writes the decoded ASCII text to `into`; 0 if it contains anything else or is longer, null for malformed text. */
function decodeName(body: Buffer, start: number, end: number, into: Buffer): number | null {
  let length = 0;
  let isText = true;
  for (let at = start; at < end; ) {
    const byte = body[at] ?? 0;
    let code = byte;
    let size = 1;
    if (byte === BACKSLASH) {
      const isUnicode = body[at + 1] === LOWER_U;
      code = isUnicode ? hexOf(body, at + 2, end) : simpleEscape(body[at + 1]);
      size = isUnicode ? 6 : 2;
      if (code < 0) return null;
    } else if (byte >= 0x80) {
      size = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
      code = wideCode(body, at, size);
      if (code < 0) return null;
    }
    at += size;
    const letter = code < 0x80 ? code : foldedLetter(code);
    if (letter === 0 || length >= into.length) isText = false;
    else if (isText) into[length++] = letter;
  }
  return isText ? length : 0;
}

/** The smallest character that UTF-8 encodes in this number of bytes. */
const LEAST_CODES = [0, 0, 0x80, 0x800, 0x10000];

/**
 * The character that the bytes encode; -1 for malformed UTF-8. Some decoders read an encoding that is too long as the letter, others
 * read it as another name.
 */
function wideCode(body: Buffer, at: number, size: number): number {
  let code = (body[at] ?? 0) & (0x7f >> size);
  for (let index = 1; index < size; index += 1) {
    const byte = body[at + index] ?? 0;
    if ((byte & 0xc0) !== 0x80) return -1;
    code = (code << 6) | (byte & 0x3f);
  }
  return code < (LEAST_CODES[size] ?? 0) ? -1 : code;
}

/** Returned in upper case, so that it equals a lower-case name only when case is ignored. */
function foldedLetter(code: number): number {
  const letter = FOLDED.get(code);
  return letter === undefined ? 0 : letter - 0x20;
}

const BACKSLASH = 0x5c;
const LOWER_U = 0x75;

function hexOf(body: Buffer, start: number, end: number): number {
  if (start + 4 > end) return -1;
  let code = 0;
  for (let at = start; at < start + 4; at += 1) {
    const byte = body[at] ?? 0;
    const lower = byte | 0x20;
    const digit = byte <= 0x39 ? byte - 0x30 : lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

/** Short escapes such as `\n` are never letters; -1 for an escape that JSON does not have. */
function simpleEscape(byte: number | undefined): number {
  return byte !== undefined && SIMPLE.includes(byte) ? 1 : -1;
}

const SIMPLE = Buffer.from('"\\/bfnrt');
