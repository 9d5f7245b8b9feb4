// Parses the responses of one connection in sequence, from chunks of any size. A few interim responses (1xx) are skipped. Bytes
// after a response answer no request: `onEnd` reports them, so that the connection is closed and they are never taken
// for the next response (response splitting).
//
// States: head → counted | chunked | rest → head; stopped from any.

import { ChunkedBody } from './chunked-body.ts';
import { MalformedResponse } from './malformed-response.ts';
import { type ResponseHead, readResponseHead } from './response-head.ts';

export type ResponseSink = {
  onHead(head: ResponseHead): void;
  /** A view of the parsed bytes, not a copy. */
  onData(chunk: Buffer): void;
  /** `isClean`: no bytes follow the response. */
  onEnd(isClean: boolean): void;
};

const HEAD_END = Buffer.from('\r\n\r\n');
const MAX_HEAD_BYTES = 64 * 1024;
/** Before one response. An endless flow of them would occupy the process until the deadline. */
const MAX_INTERIM_HEADS = 100;

export class ResponseParser {
  readonly #sink: ResponseSink;
  readonly #onData: (chunk: Buffer) => void;
  #state: 'head' | 'counted' | 'chunked' | 'rest' | 'stopped' = 'head';
  /** The bytes of an incomplete head. */
  #partial: Buffer | undefined;
  #left = 0;
  #interimHeads = 0;
  #chunks = new ChunkedBody();

  constructor(sink: ResponseSink) {
    this.#sink = sink;
    this.#onData = (chunk) => sink.onData(chunk);
  }

  /** Throws MalformedResponse. */
  take(bytes: Buffer): void {
    let at = 0;
    let rest = bytes;
    while (at < rest.length) {
      switch (this.#state) {
        case 'head': {
          const whole: Buffer = this.#partial ? Buffer.concat([this.#partial, rest]) : rest;
          at = this.#takeHead(whole, this.#partial ? 0 : at);
          rest = whole;
          break;
        }
        case 'counted':
          at = this.#takeCounted(rest, at);
          break;
        case 'chunked':
          at = this.#chunks.take(rest, at, this.#onData);
          if (this.#chunks.isDone) this.#end(at === rest.length);
          break;
        case 'rest':
          this.#sink.onData(at === 0 ? rest : rest.subarray(at));
          return;
        case 'stopped':
          return;
      }
    }
  }

  /** The connection has ended. True when that ends the response as its head announced. */
  finish(): boolean {
    if (this.#state !== 'rest') return false;
    this.#end(true);
    return true;
  }

  /** Ignores all further bytes. */
  stop(): void {
    this.#state = 'stopped';
  }

  #takeHead(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(HEAD_END, at);
    if ((end === -1 ? bytes.length : end) - at > MAX_HEAD_BYTES)
      throw new MalformedResponse('the head is too large');
    if (end === -1) {
      this.#partial = at === 0 ? bytes : bytes.subarray(at);
      return bytes.length;
    }
    this.#partial = undefined;
    const next = end + HEAD_END.length;
    const head = readResponseHead(bytes.toString('latin1', at, end));
    if (head.status === 101) throw new MalformedResponse('no protocol upgrade was requested');
    if (head.status >= 200) this.#begin(head, next === bytes.length);
    else this.#skipInterim();
    return next;
  }

  #skipInterim(): void {
    this.#interimHeads += 1;
    if (this.#interimHeads > MAX_INTERIM_HEADS)
      throw new MalformedResponse('the response follows too many interim responses');
  }

  #begin(head: ResponseHead, isAllRead: boolean): void {
    const { body } = head;
    this.#interimHeads = 0;
    if (typeof body === 'number') this.#left = body;
    else if (body === 'chunked') this.#chunks = new ChunkedBody();
    this.#state = typeof body === 'number' ? 'counted' : body;
    this.#sink.onHead(head);
    if (body === 0 && !this.#isStopped()) this.#end(isAllRead);
  }

  #takeCounted(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    this.#sink.onData(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
    if (this.#left === 0 && !this.#isStopped()) this.#end(end === bytes.length);
    return end;
  }

  /** After an unclean end the parser ignores all further bytes. */
  #end(isClean: boolean): void {
    this.#state = isClean ? 'head' : 'stopped';
    this.#sink.onEnd(isClean);
  }

  #isStopped(): boolean {
    return this.#state === 'stopped';
  }
}
