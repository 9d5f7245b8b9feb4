// Reads one HTTP/1.1 answer after another from a connection, as little as a load generator needs: the status, the body
// length, and the end of the answer (content-length or chunked). It is not an HTTP client: it throws on input that is
// not HTTP.
//
// States: head → sized → done, or head → size-line ⇄ chunk → done. `reset` returns to head.

type State = 'head' | 'sized' | 'size-line' | 'chunk' | 'done';

const HEAD_END = '\r\n\r\n';
const MAX_HEAD_BYTES = 16_384;
const KEPT_BODY_BYTES = 400;

export class ResponseReader {
  status = 0;
  bodyBytes = 0;
  /** The beginning of the body of a failed answer, for the error message of the run. */
  errorText = '';
  #state: State = 'head';
  #leftover: Buffer | undefined;
  #remainingBytes = 0;

  reset(): void {
    this.status = 0;
    this.bodyBytes = 0;
    this.errorText = '';
    this.#state = 'head';
    this.#leftover = undefined;
    this.#remainingBytes = 0;
  }

  /** Consumes received bytes; true when the answer is complete. */
  read(arrived: Buffer): boolean {
    const bytes = this.#leftover ? Buffer.concat([this.#leftover, arrived]) : arrived;
    this.#leftover = undefined;
    let at = 0;
    while (at < bytes.length && this.#state !== 'done') {
      const next = this.#step(bytes, at);
      if (next === undefined) {
        this.#leftover = bytes.subarray(at);
        break;
      }
      at = next;
    }
    return this.#state === 'done';
  }

  /** One step of the state machine; undefined when more bytes are needed to take it. */
  #step(bytes: Buffer, at: number): number | undefined {
    if (this.#state === 'head') return this.#readHead(bytes, at);
    if (this.#state === 'size-line') return this.#readSizeLine(bytes, at);
    return this.#readBody(bytes, at);
  }

  #readHead(bytes: Buffer, at: number): number | undefined {
    const end = bytes.indexOf(HEAD_END, at, 'latin1');
    if (end < 0) {
      if (bytes.length - at > MAX_HEAD_BYTES) throw new Error('The head of an answer is too long');
      return undefined;
    }
    const head = bytes.toString('latin1', at, end);
    this.status = Number(head.slice(9, 12));
    this.#expectBody(head);
    return end + HEAD_END.length;
  }

  #expectBody(head: string): void {
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) {
      this.#remainingBytes = Number(length);
      this.#state = this.#remainingBytes === 0 ? 'done' : 'sized';
      return;
    }
    if (!/\r\ntransfer-encoding: *chunked/i.test(head))
      throw new Error('An answer has neither a content-length nor chunks');
    this.#state = 'size-line';
  }

  #readSizeLine(bytes: Buffer, at: number): number | undefined {
    const end = bytes.indexOf('\r\n', at, 'latin1');
    if (end < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (!(size >= 0)) throw new Error('A chunk of an answer has no size');
    this.#state = size === 0 ? 'sized' : 'chunk';
    // The line break after the data belongs to the chunk; it is not counted as body.
    this.#remainingBytes = size + 2;
    this.bodyBytes -= 2;
    return end + 2;
  }

  #readBody(bytes: Buffer, at: number): number {
    const taken = Math.min(this.#remainingBytes, bytes.length - at);
    this.bodyBytes += taken;
    this.#remainingBytes -= taken;
    this.#keepErrorText(bytes, at, taken);
    if (this.#remainingBytes === 0) this.#state = this.#state === 'chunk' ? 'size-line' : 'done';
    return at + taken;
  }

  #keepErrorText(bytes: Buffer, at: number, length: number): void {
    if (this.status === 200 || this.errorText.length >= KEPT_BODY_BYTES) return;
    this.errorText += bytes.toString('latin1', at, at + Math.min(length, KEPT_BODY_BYTES));
  }
}
