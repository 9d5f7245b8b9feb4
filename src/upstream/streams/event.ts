// One event of a provider's stream, and the buffer for an event that spans chunks. Two splitters produce events:
// split-sse.ts (server-sent events) and split-array.ts (elements of one JSON array).

/** One event as byte ranges. The splitter reuses the object and its buffers: read it within the callback. */
export type StreamEvent = {
  data: Buffer;
  dataStart: number;
  dataEnd: number;
  name: Buffer;
  nameStart: number;
  /** Equal to `nameStart` when the event has no name. */
  nameEnd: number;
  /** The event's bytes in the stream, counted from its first byte; both 0 where the splitter does not count. */
  start: number;
  end: number;
  /** False when the event exceeded the buffer and lost its middle. */
  isWhole: boolean;
  /** The event had several data lines; `data` contains them joined by line feeds. */
  isJoined: boolean;
};

export type StreamSplitter = {
  /** False once an event was too large to be buffered whole. */
  feed(chunk: Buffer): boolean;
  /** The stream ended: the splitter delivers an event whose empty line never came. */
  finish(): void;
  /** Bytes at the end of the input that belong to an incomplete event. */
  readonly pendingBytes: number;
  /** The number of lines, or of elements of an array, read so far. */
  readonly lines: number;
  /** The beginning of the incomplete event, as far as it is buffered. */
  pendingHead(): Buffer;
};

export const MAX_EVENT_BYTES = 256 * 1024;

export function emptyEvent(): StreamEvent {
  return {
    data: NO_BYTES,
    dataStart: 0,
    dataEnd: 0,
    name: NO_BYTES,
    nameStart: 0,
    nameEnd: 0,
    start: 0,
    end: 0,
    isWhole: true,
    isJoined: false,
  };
}

const NO_BYTES = Buffer.alloc(0);
const MIN_LIMIT_BYTES = 1024;
const MAX_HEAD_BYTES = 4096;
const MAX_IDLE_BYTES = 16 * 1024;

/**
 * Buffers the arrived part of an event in bounded memory. The buffer grows by doubling up to its limit. A larger event
 * loses its middle: the buffer keeps the head (the kind of event) and the latest bytes (where providers write usage), and
 * `isWhole` turns false. So an endless event costs `limitBytes`, and appending stays linear for chunks of any size.
 */
export class EventBuffer {
  readonly #limitBytes: number;
  readonly #headBytes: number;
  #bytes: Buffer = NO_BYTES;
  #length = 0;
  #isWhole = true;

  constructor(limitBytes: number) {
    this.#limitBytes = Math.max(limitBytes, MIN_LIMIT_BYTES);
    this.#headBytes = Math.min(MAX_HEAD_BYTES, this.#limitBytes >> 2);
  }

  /** Valid up to `length`, and only until the next append. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  get length(): number {
    return this.#length;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Positions below this never move. */
  get headBytes(): number {
    return this.#headBytes;
  }

  /** The first bytes, which never move. */
  head(): Buffer {
    return this.#bytes.subarray(0, Math.min(this.#length, this.#headBytes));
  }

  /** Returns by how much the bytes after the head moved down; 0 unless the event lost its middle. */
  append(source: Buffer, start: number, end: number): number {
    let moved = 0;
    let from = start;
    while (from < end) {
      moved += this.#makeSpace(end - from);
      const count = Math.min(end - from, this.#bytes.length - this.#length);
      source.copy(this.#bytes, this.#length, from, from + count);
      this.#length += count;
      from += count;
    }
    return moved;
  }

  clear(): void {
    // One large event must not pin its memory for the rest of a long stream.
    if (this.#bytes.length > MAX_IDLE_BYTES) this.#bytes = NO_BYTES;
    this.#length = 0;
    this.#isWhole = true;
  }

  #makeSpace(wanted: number): number {
    const needed = this.#length + wanted;
    if (needed <= this.#bytes.length) return 0;
    if (this.#bytes.length < this.#limitBytes) this.#grow(needed);
    return this.#length < this.#bytes.length ? 0 : this.#dropMiddle();
  }

  #grow(needed: number): void {
    const doubled = Math.max(needed, this.#bytes.length * 2, MIN_LIMIT_BYTES);
    const grown = Buffer.allocUnsafeSlow(Math.min(doubled, this.#limitBytes));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }

  #dropMiddle(): number {
    const tailBytes = this.#limitBytes >> 1;
    const tailStart = this.#length - tailBytes;
    this.#bytes.copyWithin(this.#headBytes, tailStart, this.#length);
    this.#length = this.#headBytes + tailBytes;
    this.#isWhole = false;
    return tailStart - this.#headBytes;
  }
}
