// Holds the part of an event that has arrived until the rest does, in bounded memory. It grows by doubling
// up to its limit. What goes beyond loses its middle: the beginning (which kind of event it is) and the latest
// bytes (where providers put usage) are kept, and `isWhole` turns false. So even a stream of events without
// end costs `limitBytes`, and appending stays linear however small the pieces are.

export class BoundedCarry {
  readonly #limitBytes: number;
  readonly #headBytes: number;
  #bytes: Buffer = NO_BYTES;
  #length = 0;
  #isWhole = true;

  constructor(limitBytes: number) {
    this.#limitBytes = Math.max(limitBytes, MIN_LIMIT);
    this.#headBytes = Math.min(MAX_HEAD, this.#limitBytes >> 2);
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

  /** Returns by how much the bytes behind the head have moved down to make room; nearly always 0. */
  append(source: Buffer, start: number, end: number): number {
    let moved = 0;
    let from = start;
    while (from < end) {
      moved += this.#makeRoom(end - from);
      const count = Math.min(end - from, this.#bytes.length - this.#length);
      source.copy(this.#bytes, this.#length, from, from + count);
      this.#length += count;
      from += count;
    }
    return moved;
  }

  clear(): void {
    // One large event must not pin its memory for the rest of a long stream.
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = NO_BYTES;
    this.#length = 0;
    this.#isWhole = true;
  }

  #makeRoom(wanted: number): number {
    const needed = this.#length + wanted;
    if (needed <= this.#bytes.length) return 0;
    if (this.#bytes.length < this.#limitBytes) this.#grow(needed);
    return this.#length < this.#bytes.length ? 0 : this.#dropMiddle();
  }

  #grow(needed: number): void {
    const doubled = Math.max(needed, this.#bytes.length * 2, MIN_LIMIT);
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

const NO_BYTES = Buffer.alloc(0);
const MIN_LIMIT = 1024;
const MAX_HEAD = 4096;
const KEPT_BYTES = 16 * 1024;
