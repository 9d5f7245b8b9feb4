// Copies what a socket has read out of the buffer that all sockets share. The reads of one large answer are copied into blocks of its
// own: thousands of pieces of 64 KiB would fragment the heap of the allocator, and most of it would never return to the system.
// A block lives as long as a view of it. Therefore no other answer gets one: a small answer that its caller does not read must not keep
// a block, and an event stream, whose reader may pause for minutes, keeps the exact size of its events.

import type { UpstreamHeaders } from '../../upstream/upstream.ts';

/** An answer is large from here on; it keeps at most one block beyond its own size. */
const LARGE_BYTES = 1024 * 1024;
const BLOCK_BYTES = 1024 * 1024;

export class ReadCopier {
  /** Set while an answer arrives that may be large. */
  #mayShare = false;
  #readBytes = 0;
  #block: Buffer | undefined;
  #used = 0;

  /** The following reads are those of the answer with these headers. */
  begin(headers: UpstreamHeaders): void {
    this.#mayShare = !String(headers['content-type']).startsWith('text/event-stream');
    this.#readBytes = 0;
  }

  /** The answer has ended; the next one may begin with the next read. */
  end(): void {
    this.#mayShare = false;
    this.#block = undefined;
  }

  /** `read` has at most `BLOCK_BYTES`. */
  copy(read: Buffer): Buffer {
    this.#readBytes += read.length;
    if (!this.#mayShare || this.#readBytes <= LARGE_BYTES) return Buffer.from(read);
    if (!this.#block || this.#used + read.length > BLOCK_BYTES) {
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      this.#used = 0;
    }
    const copy = this.#block.subarray(this.#used, this.#used + read.length);
    copy.set(read);
    this.#used += read.length;
    return copy;
  }
}
