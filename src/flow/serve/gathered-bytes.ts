// The bytes of an answer while they pass by, up to what can be kept. They are copied: pieces of a stream are cut from
// larger blocks of memory, which they would hold on to. Past the limit everything is let go.

import { MAX_KEPT_ANSWER_BYTES } from '../../admission/idempotency-store.ts';

const FIRST_BYTES = 4096;

export class GatheredBytes {
  #bytes = Buffer.alloc(0);
  #length = 0;
  #isTooLarge = false;

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    this.#isTooLarge ||= length > MAX_KEPT_ANSWER_BYTES;
    if (this.#isTooLarge) return this.#letGo();
    if (length > this.#bytes.length) this.#grow(length);
    chunk.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  /** Undefined when there were too many. */
  take(): Buffer | undefined {
    return this.#isTooLarge ? undefined : this.#bytes.subarray(0, this.#length);
  }

  #grow(length: number): void {
    const size = Math.max(length, 2 * this.#bytes.length, FIRST_BYTES);
    const grown = Buffer.allocUnsafeSlow(Math.min(size, MAX_KEPT_ANSWER_BYTES));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }

  #letGo(): void {
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
  }
}
