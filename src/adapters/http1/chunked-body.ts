// Decodes a chunked body (RFC 9112, section 7.1) incrementally, from input of any size. Data is passed on without a copy;
// extensions and trailers are skipped.
//
// States: size → [extension →] size end → data → data end (CR, LF) → size …; a chunk of no length → trailer → done.

import { MalformedResponse } from './malformed-response.ts';

type State =
  | 'size'
  | 'extension'
  | 'size_end'
  | 'data'
  | 'data_cr'
  | 'data_lf'
  | 'trailer'
  | 'done';

const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
const SEMICOLON = 59;
const SPACE = 32;
const TAB = 9;

export class ChunkedBody {
  #state: State = 'size';
  #left = 0;
  #digits = 0;
  #lineBytes = 0;

  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** Decodes from `at` up to one run of data, the end of the body or the end of the bytes; returns where it stopped. */
  take(bytes: Buffer, at: number, onData: (chunk: Buffer) => void): number {
    let next = at;
    while (next < bytes.length && this.#state !== 'done') {
      if (this.#state === 'data') return this.#takeData(bytes, next, onData);
      this.#step(bytes[next] ?? 0);
      next += 1;
    }
    return next;
  }

  #takeData(bytes: Buffer, at: number, onData: (chunk: Buffer) => void): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    if (this.#left === 0) this.#state = 'data_cr';
    onData(bytes.subarray(at, end));
    return end;
  }

  /** Consumes one byte of the framing. */
  #step(byte: number): void {
    switch (this.#state) {
      case 'size':
        return this.#readSize(byte);
      case 'extension':
        if (byte === LINE_FEED) throw new MalformedResponse('an extension of a chunk has no end');
        if (byte === CARRIAGE_RETURN) this.#state = 'size_end';
        return;
      case 'size_end':
        expect(byte, LINE_FEED);
        this.#digits = 0;
        this.#state = this.#left === 0 ? 'trailer' : 'data';
        return;
      case 'data_cr':
        expect(byte, CARRIAGE_RETURN);
        this.#state = 'data_lf';
        return;
      case 'data_lf':
        expect(byte, LINE_FEED);
        this.#state = 'size';
        return;
      case 'trailer':
        return this.#skipTrailer(byte);
      // `take` handles these two states.
      case 'data':
      case 'done':
        return;
    }
  }

  #readSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit !== -1) {
      this.#left = this.#left * 16 + digit;
      this.#digits += 1;
      // Some servers pad the size with zeros, so the number of digits is not limited.
      if (Number.isSafeInteger(this.#left)) return;
    } else if (this.#digits > 0 && (byte === SEMICOLON || byte === SPACE || byte === TAB)) {
      this.#state = 'extension';
      return;
    } else if (this.#digits > 0 && byte === CARRIAGE_RETURN) {
      this.#state = 'size_end';
      return;
    }
    throw new MalformedResponse('the size of a chunk is not a number');
  }

  /** Skips the fields after the last chunk, up to an empty line. */
  #skipTrailer(byte: number): void {
    if (byte !== LINE_FEED) {
      if (byte !== CARRIAGE_RETURN) this.#lineBytes += 1;
      return;
    }
    if (this.#lineBytes === 0) this.#state = 'done';
    this.#lineBytes = 0;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

function expect(byte: number, wanted: number): void {
  if (byte !== wanted) throw new MalformedResponse('a chunk does not end where it says');
}
