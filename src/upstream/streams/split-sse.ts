// Splits server-sent events, chunk by chunk, by the rules of the HTML standard (lines end in LF, CR or CRLF; comments;
// several data lines). An event within one chunk is not copied; an event that spans chunks is buffered in bounded memory.
// The splitter reads no JSON and knows no provider.
//
// States: between events → in an event (within the chunk, or carried over from the previous chunk) → between events.
// A line that is no field of an event (a proxy's page, a bare JSON error) goes to `onForeign`.
// The splitter delivers an event beyond `maxEventBytes` without its middle, `isWhole` false, and `feed` returns false.

import {
  EventBuffer,
  emptyEvent,
  MAX_EVENT_BYTES,
  type StreamEvent,
  type StreamSplitter,
} from './event.ts';

export function createSseSplitter(
  onEvent: (event: StreamEvent) => void,
  maxEventBytes: number = MAX_EVENT_BYTES,
  onForeign: OnForeign = () => {},
): StreamSplitter {
  return new SseSplitter(onEvent, maxEventBytes, onForeign);
}

/** A line outside of any event, as a byte range. */
export type OnForeign = (bytes: Buffer, start: number, end: number) => void;

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const LINE_FEED = Buffer.from('\n');

class SseSplitter implements StreamSplitter {
  readonly #onEvent: (event: StreamEvent) => void;
  readonly #onForeign: OnForeign;
  readonly #event: StreamEvent = emptyEvent();
  readonly #carry: EventBuffer;
  /** The data of an event with several data lines; allocated for the first such event. */
  #joined: EventBuffer | undefined;
  readonly #maxEventBytes: number;
  #dataLines = 0;
  #isCarrying = false;
  /** Where the unfinished line begins in the carried bytes. */
  #lineAt = 0;
  #pendingBytes = 0;
  lines = 0;
  /** The bytes of the chunks before the current one. */
  #fedBytes = 0;
  #isFirstLine = true;
  #endedInCr = false;
  #isWithinBounds = true;
  /** Cached positions of the next LF and CR in the current chunk; its length when the chunk has none left. */
  #nextLf = -1;
  #nextCr = -1;

  constructor(onEvent: (event: StreamEvent) => void, maxEventBytes: number, onForeign: OnForeign) {
    this.#onEvent = onEvent;
    this.#onForeign = onForeign;
    this.#maxEventBytes = maxEventBytes;
    this.#carry = new EventBuffer(maxEventBytes);
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  pendingHead(): Buffer {
    return this.#carry.head();
  }

  feed(chunk: Buffer): boolean {
    if (chunk.length === 0) return this.#isWithinBounds;
    // A CR that ended the previous chunk and this LF are one line end.
    let at = this.#endedInCr && chunk[0] === LF ? 1 : 0;
    this.#endedInCr = false;
    this.#nextLf = -1;
    this.#nextCr = -1;
    if (this.#isCarrying) at = this.#feedCarried(chunk, at);
    if (at < chunk.length) this.#feedInPlace(chunk, at);
    this.#fedBytes += chunk.length;
    return this.#isWithinBounds;
  }

  finish(): void {
    if (!this.#isCarrying) return;
    const { bytes, length } = this.#carry;
    if (length > this.#lineAt && !isCutField(bytes, this.#lineAt, length))
      this.#readLine(bytes, this.#lineAt, length);
    this.#event.end = this.#fedBytes;
    this.#dispatch(bytes, this.#carry.isWhole);
    this.#endCarrying();
  }

  #feedInPlace(chunk: Buffer, from: number): void {
    let eventStart = from;
    let at = from;
    for (;;) {
      const end = this.#lineEnd(chunk, at);
      if (end >= chunk.length) break;
      this.lines += 1;
      if (end > at) {
        this.#readLine(chunk, at, end);
        at = this.#behindLineEnd(chunk, end);
      } else {
        at = this.#behindLineEnd(chunk, end);
        this.#event.start = this.#fedBytes + eventStart;
        this.#event.end = this.#fedBytes + at;
        this.#dispatch(chunk, true);
        eventStart = at;
      }
    }
    this.#pendingBytes = chunk.length - eventStart;
    if (eventStart < chunk.length) this.#beginCarrying(chunk, eventStart, at);
  }

  #beginCarrying(chunk: Buffer, eventStart: number, lineStart: number): void {
    const event = this.#event;
    this.#isCarrying = true;
    event.start = this.#fedBytes + eventStart;
    this.#lineAt = lineStart - eventStart;
    event.dataStart -= eventStart;
    event.dataEnd -= eventStart;
    event.nameStart -= eventStart;
    event.nameEnd -= eventStart;
    this.#append(chunk, eventStart, chunk.length);
  }

  /** Returns where the next event begins in the chunk, or its end. */
  #feedCarried(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length) {
      const end = this.#lineEnd(chunk, at);
      this.#append(chunk, at, Math.min(end, chunk.length));
      if (end >= chunk.length) break;
      this.lines += 1;
      at = this.#behindLineEnd(chunk, end);
      const { bytes, length } = this.#carry;
      if (length === this.#lineAt) {
        this.#event.end = this.#fedBytes + at;
        this.#dispatch(bytes, this.#carry.isWhole);
        this.#endCarrying();
        return at;
      }
      this.#readLine(bytes, this.#lineAt, length);
      this.#lineAt = length;
    }
    this.#pendingBytes += chunk.length;
    return chunk.length;
  }

  #append(chunk: Buffer, start: number, end: number): void {
    const moved = this.#carry.append(chunk, start, end);
    if (moved === 0) return;
    this.#isWithinBounds = false;
    const { headBytes } = this.#carry;
    const event = this.#event;
    if (this.#lineAt > headBytes) this.#lineAt = Math.max(headBytes, this.#lineAt - moved);
    if (event.dataEnd > headBytes) event.dataEnd = Math.max(headBytes, event.dataEnd - moved);
    // A name after the head may have moved; the reader falls back to the event's `type`.
    if (event.nameEnd > headBytes) event.nameStart = event.nameEnd = 0;
  }

  #endCarrying(): void {
    this.#carry.clear();
    this.#isCarrying = false;
    this.#pendingBytes = 0;
    this.#lineAt = 0;
  }

  #lineEnd(chunk: Buffer, at: number): number {
    if (chunk[at] === LF) return at;
    if (this.#nextLf < at) this.#nextLf = found(chunk.indexOf(LF, at), chunk);
    if (this.#nextCr < at) this.#nextCr = found(chunk.indexOf(CR, at), chunk);
    return this.#nextLf < this.#nextCr ? this.#nextLf : this.#nextCr;
  }

  #behindLineEnd(chunk: Buffer, end: number): number {
    if (chunk[end] === LF) return end + 1;
    if (end + 1 === chunk.length) this.#endedInCr = true;
    return chunk[end + 1] === LF ? end + 2 : end + 1;
  }

  #readLine(bytes: Buffer, lineStart: number, end: number): void {
    let start = lineStart;
    if (this.#isFirstLine) {
      this.#isFirstLine = false;
      if (bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf)
        start += 3;
    }
    if (isField(bytes, start, end, DATA))
      this.#readData(bytes, valueStart(bytes, start + 4, end), end);
    else if (isField(bytes, start, end, EVENT)) {
      this.#event.name = bytes;
      this.#event.nameStart = valueStart(bytes, start + 5, end);
      this.#event.nameEnd = end;
    } else if (!isIgnored(bytes, start, end) && !this.#isDamaged(lineStart))
      this.#onForeign(bytes, start, end);
  }

  /** A line of an event that lost its middle may begin anywhere. */
  #isDamaged(lineStart: number): boolean {
    return this.#isCarrying && !this.#carry.isWhole && lineStart >= this.#carry.headBytes;
  }

  #readData(bytes: Buffer, start: number, end: number): void {
    const event = this.#event;
    this.#dataLines += 1;
    if (this.#dataLines === 1) {
      event.dataStart = start;
      event.dataEnd = end;
      return;
    }
    this.#joined ??= new EventBuffer(this.#maxEventBytes);
    if (this.#dataLines === 2) this.#joined.append(bytes, event.dataStart, event.dataEnd);
    this.#joined.append(LINE_FEED, 0, 1);
    if (this.#joined.append(bytes, start, end) > 0) this.#isWithinBounds = false;
  }

  #dispatch(bytes: Buffer, isWhole: boolean): void {
    const event = this.#event;
    if (this.#dataLines > 0) {
      event.data = bytes;
      event.isWhole = isWhole;
      event.name = bytes;
      event.isJoined = this.#dataLines > 1;
      if (this.#joined && event.isJoined) this.#useJoined(this.#joined);
      this.#onEvent(event);
      this.#joined?.clear();
    }
    this.#dataLines = 0;
    event.nameStart = event.nameEnd = event.dataStart = event.dataEnd = 0;
  }

  #useJoined(joined: EventBuffer): void {
    this.#event.data = joined.bytes;
    this.#event.dataStart = 0;
    this.#event.dataEnd = joined.length;
    this.#event.isWhole &&= joined.isWhole;
  }
}

const DATA = 'data';
const EVENT = 'event';

/** Comments, the fields `id` and `retry`, and blank lines. */
function isIgnored(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[start] === COLON) return true;
  if (isField(bytes, start, end, 'id') || isField(bytes, start, end, 'retry')) return true;
  for (let at = start; at < end; at += 1) if (bytes[at] !== SPACE) return false;
  return true;
}

/** True for a text with which no event begins. */
export function isForeignStart(bytes: Buffer): boolean {
  const lf = bytes.indexOf(LF);
  const end = lf < 0 ? bytes.length : lf;
  const isKnown = isField(bytes, 0, end, DATA) || isField(bytes, 0, end, EVENT);
  return !isKnown && !isIgnored(bytes, 0, end) && !(lf < 0 && isCutField(bytes, 0, end));
}

const FIELDS = ['data', 'event', 'retry', 'id'];

/** True for the first letters of a field's name: the line is cut. */
function isCutField(bytes: Buffer, start: number, end: number): boolean {
  const length = end - start;
  if (length >= MAX_FIELD_BYTES) return false;
  const text = bytes.toString('latin1', start, end);
  return FIELDS.some((name) => name.startsWith(text) && name !== text);
}

const MAX_FIELD_BYTES = 5;

function found(index: number, chunk: Buffer): number {
  return index < 0 ? chunk.length : index;
}

/** A field line is `name:value`, or the name alone. */
function isField(bytes: Buffer, start: number, end: number, name: string): boolean {
  const behind = start + name.length;
  if (behind > end || (behind < end && bytes[behind] !== COLON)) return false;
  for (let index = 0; index < name.length; index += 1) {
    if (bytes[start + index] !== name.charCodeAt(index)) return false;
  }
  return true;
}

function valueStart(bytes: Buffer, colon: number, end: number): number {
  if (colon >= end) return end;
  return bytes[colon + 1] === SPACE && colon + 1 < end ? colon + 2 : colon + 1;
}
