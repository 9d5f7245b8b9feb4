// Records an answer while it is sent, up to the size that stores keep. Chunks are copied: they are views of larger buffers,
// which a reference would retain. An answer beyond the limit is dropped.

import {
  MAX_STORED_ANSWER_BYTES,
  type StoredAnswer,
  toStoredAnswer,
} from '../../admission/stored-answer.ts';
import { headerPairs } from './answer-headers.ts';

const MIN_BUFFER_BYTES = 4096;

export class AnswerRecorder {
  #status = 0;
  #headers: readonly string[] = [];
  #bytes = Buffer.alloc(0);
  #length = 0;
  #isTooLarge = false;

  /** Headers are names and values alternating. */
  begin(status: number, headers: readonly string[]): void {
    this.#status = status;
    this.#headers = headers;
  }

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    this.#isTooLarge ||= length > MAX_STORED_ANSWER_BYTES;
    if (this.#isTooLarge) return this.#discard();
    if (length > this.#bytes.length) this.#grow(length);
    chunk.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  /** Undefined when the answer was too large. */
  answer(): StoredAnswer | undefined {
    if (this.#isTooLarge) return undefined;
    const body = this.#bytes.subarray(0, this.#length);
    return toStoredAnswer(this.#status, headerPairs(this.#headers), body);
  }

  #grow(length: number): void {
    const size = Math.max(length, 2 * this.#bytes.length, MIN_BUFFER_BYTES);
    const grown = Buffer.allocUnsafeSlow(Math.min(size, MAX_STORED_ANSWER_BYTES));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }

  #discard(): void {
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
  }
}
