// Splits Gemini's second stream form, one JSON array over the whole response (no `alt=sse`), into its elements. It
// follows brackets and strings only. An element within one chunk is not copied; an element that spans chunks is buffered
// in bounded memory. A single object instead of an array is one element.
//
// States: outside → in an element (in a string or not) → outside → closed by the last bracket.

import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  endOfString,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../json/scan.ts';
import {
  EventBuffer,
  emptyEvent,
  MAX_EVENT_BYTES,
  type StreamEvent,
  type StreamSplitter,
} from './event.ts';
import type { OnForeign } from './split-sse.ts';

export type ArraySplitter = StreamSplitter & {
  readonly isClosed: boolean;
  /** The position after the last bracket in the stream. */
  readonly closedEnd: number;
};

export function createArraySplitter(
  onEvent: (event: StreamEvent) => void,
  maxEventBytes: number = MAX_EVENT_BYTES,
  onForeign: OnForeign = () => {},
): ArraySplitter {
  return new JsonArraySplitter(onEvent, maxEventBytes, onForeign);
}

/** Whitespace and commas separate elements. */
function isSeparator(byte: number | undefined): boolean {
  return byte === 0x2c || byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

class JsonArraySplitter implements ArraySplitter {
  readonly #onEvent: (event: StreamEvent) => void;
  readonly #onForeign: OnForeign;
  readonly #event: StreamEvent = emptyEvent();
  readonly #carry: EventBuffer;
  #depth = 0;
  #elementDepth = 0;
  #isInElement = false;
  #isInString = false;
  #isEscaped = false;
  #isWithinBounds = true;
  #pendingBytes = 0;
  #fedBytes = 0;
  lines = 0;
  isClosed = false;
  closedEnd = 0;

  constructor(onEvent: (event: StreamEvent) => void, maxEventBytes: number, onForeign: OnForeign) {
    this.#onEvent = onEvent;
    this.#onForeign = onForeign;
    this.#carry = new EventBuffer(maxEventBytes);
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  pendingHead(): Buffer {
    return this.#carry.head();
  }

  feed(chunk: Buffer): boolean {
    if (this.isClosed) return this.#isWithinBounds;
    let elementStart = 0;
    // A separator is pending until the next element is whole, so relayed bytes always end with an element and an
    // error element can still be appended.
    let pendingStart = -this.#pendingBytes;
    let at = this.#isInString ? this.#endString(chunk, 0) : 0;
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === QUOTE && this.#isInElement) at = this.#endString(chunk, at + 1) - 1;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (byte === OPEN_BRACE && !this.#isInElement && this.#depth <= 1) {
          this.#isInElement = true;
          this.#elementDepth = this.#depth;
          elementStart = at;
        }
        this.#depth += 1;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        this.#depth -= 1;
        if (this.#isInElement && this.#depth === this.#elementDepth) {
          this.#deliver(chunk, elementStart, at + 1);
          pendingStart = at + 1;
        }
        if (this.#depth <= 0) {
          this.isClosed = true;
          this.closedEnd = this.#fedBytes + at + 1;
          break;
        }
      } else if (!this.#isInElement && !isSeparator(byte)) {
        this.#onForeign(chunk, at, chunk.length);
        break;
      }
    }
    this.#fedBytes += chunk.length;
    if (this.#isInElement) this.#keep(chunk, elementStart, chunk.length);
    this.#pendingBytes = chunk.length - pendingStart;
    return this.#isWithinBounds;
  }

  finish(): void {
    // A cut element is dropped.
    this.#carry.clear();
    this.#isInElement = false;
    this.#pendingBytes = 0;
  }

  /** Returns the position after the string, or the chunk's end when the string continues in the next chunk. */
  #endString(chunk: Buffer, from: number): number {
    const start = this.#isEscaped ? from + 1 : from;
    this.#isEscaped = false;
    const quote = endOfString(chunk, start);
    this.#isInString = quote < 0;
    if (quote >= 0) return quote + 1;
    let run = chunk.length;
    while (run > start && chunk[run - 1] === BACKSLASH) run -= 1;
    this.#isEscaped = ((chunk.length - run) & 1) === 1;
    return chunk.length;
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    this.#carry.append(chunk, start, end);
    if (!this.#carry.isWhole) this.#isWithinBounds = false;
  }

  #deliver(chunk: Buffer, start: number, end: number): void {
    const event = this.#event;
    const isCarried = this.#carry.length > 0;
    if (isCarried) this.#keep(chunk, 0, end);
    event.data = isCarried ? this.#carry.bytes : chunk;
    event.dataStart = isCarried ? 0 : start;
    event.dataEnd = isCarried ? this.#carry.length : end;
    event.isWhole = this.#carry.isWhole;
    this.#isInElement = false;
    this.lines += 1;
    this.#onEvent(event);
    this.#carry.clear();
  }
}
