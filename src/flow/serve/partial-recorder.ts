// Keeps the beginning of a stream while it is relayed, for the request record of a stream that is cut. The bytes are
// copied into a small buffer that grows with the stream up to its bound: chunks are views of larger buffers, which a
// reference would retain.

import type { PartialAnswer } from '../../upstream/request-records.ts';

const FIRST_BYTES = 1024;
const MAX_BYTES = 8 * 1024;

export class PartialRecorder {
  #kept = Buffer.alloc(0);
  #length = 0;
  #bytes = 0;

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const wanted = Math.min(MAX_BYTES, this.#length + chunk.length);
    if (wanted === this.#length) return;
    if (wanted > this.#kept.length) this.#grow(wanted);
    this.#length += chunk.copy(this.#kept, this.#length, 0, wanted - this.#length);
  }

  partial(): PartialAnswer {
    // A character that the bound cuts in two is shown as a replacement character.
    return { text: this.#kept.toString('utf8', 0, this.#length), bytes: this.#bytes };
  }

  #grow(wanted: number): void {
    const size = Math.min(MAX_BYTES, Math.max(wanted, 4 * this.#kept.length, FIRST_BYTES));
    const grown = Buffer.allocUnsafeSlow(size);
    this.#kept.copy(grown, 0, 0, this.#length);
    this.#kept = grown;
  }
}
