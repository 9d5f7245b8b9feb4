// Walks over the keys of a JSON text in order, at any depth, without parsing it. For each key it gives the depth, the
// start of the value and, for a string, its end. One walker is reused for all events of a stream. A cut or malformed text
// ends the walk early; the walker never throws.

import { type JsonSpan, readString } from './peek-fields.ts';
import {
  bytesEqual,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  endOfString,
  endOfValue,
  isPlain,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
} from './scan.ts';

const SPACE = 0x20;
const LF = 0x0a;
const CR = 0x0d;

/** More than any number has that a provider writes. */
const MAX_DIGITS = 40;

const LOWER_F = 0x66;
const LOWER_N = 0x6e;

const NO_BYTES = Buffer.alloc(0);

export class JsonKeys {
  bytes: Buffer = NO_BYTES;
  /** 1 for the keys of the outermost object; arrays count too. */
  depth = 0;
  keyStart = 0;
  keyEnd = 0;
  valueStart = 0;
  /** The closing quote of a string, or the beginning of any other value. */
  valueEnd = 0;
  #at = 0;
  #end = 0;

  start(bytes: Buffer, start: number, end: number): void {
    this.bytes = bytes;
    this.depth = 0;
    this.#at = start;
    this.#end = end;
  }

  /** Moves to the next key; false at the end. */
  next(): boolean {
    const { bytes } = this;
    const end = this.#end;
    let at = this.#at;
    while (at < end) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        const close = endOfString(bytes, at + 1);
        if (close < 0 || close >= end) break;
        const behind = skipSpace(bytes, close + 1);
        if (bytes[behind] === COLON) return this.#found(at + 1, close, behind + 1);
        at = close;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.depth += 1;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.depth -= 1;
      at += 1;
    }
    this.#at = end;
    return false;
  }

  get keyLength(): number {
    return this.keyEnd - this.keyStart;
  }

  isKey(name: string): boolean {
    return bytesEqual(this.bytes, this.keyStart, this.keyEnd, name);
  }

  /** As `isKey`, also for a key with escapes. */
  isNamed(name: string): boolean {
    if (this.keyLength === name.length) return this.isKey(name);
    if (this.keyLength < name.length || this.keyLength > name.length * 6) return false;
    return !isPlain(this.bytes, this.keyStart, this.keyEnd) && this.keyText() === name;
  }

  /** The decoded key; undefined for a broken escape. */
  keyText(): string | undefined {
    return readString(this.bytes, { start: this.keyStart - 1, end: this.keyEnd + 1 });
  }

  isText(): boolean {
    return this.bytes[this.valueStart] === QUOTE;
  }

  isObject(): boolean {
    return this.bytes[this.valueStart] === OPEN_BRACE;
  }

  isList(): boolean {
    return this.bytes[this.valueStart] === OPEN_BRACKET;
  }

  isEmptyList(): boolean {
    const { bytes, valueStart } = this;
    if (bytes[valueStart] !== OPEN_BRACKET) return false;
    return bytes[skipSpace(bytes, valueStart + 1)] === CLOSE_BRACKET;
  }

  /** Anything but null and false: an error may be an object, a string or a list. */
  isSomething(): boolean {
    const first = this.bytes[this.valueStart];
    return first !== LOWER_N && first !== LOWER_F;
  }

  /** The length of a string value between its quotes, escapes as written; 0 for other values. */
  textBytes(): number {
    return this.isText() ? this.valueEnd - this.valueStart - 1 : 0;
  }

  /** The decoded text of a string value. */
  textValue(): string | undefined {
    return readString(this.bytes, { start: this.valueStart, end: this.valueEnd + 1 });
  }

  isTextValue(text: string): boolean {
    return this.isText() && bytesEqual(this.bytes, this.valueStart + 1, this.valueEnd, text);
  }

  /** A number; a natural one of at most 12 digits is read without allocating a string. Undefined for other values. */
  countValue(): number | undefined {
    const { bytes, valueStart } = this;
    let count = 0;
    let at = valueStart;
    for (; at < valueStart + 12; at += 1) {
      const digit = (bytes[at] ?? 0) - 0x30;
      if (digit < 0 || digit > 9) break;
      count = count * 10 + digit;
    }
    const next = bytes[at];
    const isEnded =
      next === COMMA || next === CLOSE_BRACE || next === SPACE || next === LF || next === CR;
    if (at === valueStart) return undefined;
    return isEnded ? count : this.#unusualNumber();
  }

  /** Such as `1e3` or `1000.0`. */
  #unusualNumber(): number | undefined {
    const { bytes, valueStart } = this;
    const text = bytes.toString('latin1', valueStart, Math.min(valueStart + MAX_DIGITS, this.#end));
    const [digits = ''] = /^[\d.eE+-]*/.exec(text) ?? [];
    const value = Number(digits);
    return digits.length < MAX_DIGITS && Number.isFinite(value) ? value : undefined;
  }

  /** The whole value; the walk continues after it. Undefined when the value is cut. */
  takeValue(): JsonSpan | undefined {
    const end = endOfValue(this.bytes, this.valueStart);
    if (end < 0 || end > this.#end) return undefined;
    this.#at = end;
    return { start: this.valueStart, end };
  }

  #found(keyStart: number, keyEnd: number, behindColon: number): boolean {
    const { bytes } = this;
    this.keyStart = keyStart;
    this.keyEnd = keyEnd;
    this.valueStart = skipSpace(bytes, behindColon);
    this.valueEnd = this.valueStart;
    this.#at = this.valueStart;
    if (bytes[this.valueStart] !== QUOTE) return this.valueStart < this.#end;
    this.valueEnd = endOfString(bytes, this.valueStart + 1);
    this.#at = this.valueEnd + 1;
    return this.valueEnd >= 0 && this.valueEnd < this.#end;
  }
}
