// Collects the chunks of a body in few buffers. The peer chooses its chunks: a body in chunks of one byte, kept as they arrive,
// would take hundreds of times its size, and thousands of small buffers fragment the heap for good.

const MIN_BLOCK_BYTES = 4096;
const MAX_BLOCK_BYTES = 4 * 2 ** 20;

export class BytePieces {
  readonly #full: Buffer[] = [];
  #block: Buffer;
  /** The length of the block's used part. */
  #used = 0;
  #size = 0;

  /** A body of known size is one block. */
  constructor(knownBytes = MIN_BLOCK_BYTES) {
    this.#block = Buffer.allocUnsafeSlow(knownBytes);
  }

  add(chunk: Buffer): this {
    for (let at = 0; at < chunk.length; ) {
      if (this.#used === this.#block.length) this.#begin();
      const copied = chunk.copy(this.#block, this.#used, at);
      this.#used += copied;
      this.#size += copied;
      at += copied;
    }
    return this;
  }

  joined(): Buffer {
    const last = this.#block.subarray(0, this.#used);
    return this.#full.length === 0 ? last : Buffer.concat([...this.#full, last], this.#size);
  }

  /** Each new block is as large as all previous blocks together. */
  #begin(): void {
    this.#full.push(this.#block);
    const bytes = Math.min(MAX_BLOCK_BYTES, Math.max(MIN_BLOCK_BYTES, this.#size));
    this.#block = Buffer.allocUnsafeSlow(bytes);
    this.#used = 0;
  }
}
