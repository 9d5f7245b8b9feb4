// The answers of one connection, one after the other, from bytes that are cut anywhere. Interim answers (1xx) are passed
// over. Bytes that come behind an answer belong to nobody, because nothing more was asked: `onEnd` is told of them, so
// that the connection is given up and they are never taken for the next answer.
//
// States: head → counted | chunked | rest → head; stopped from any.

import { type AnswerHead, readAnswerHead } from './answer-head.ts';
import { ChunkedBody } from './chunked-body.ts';
import { MalformedAnswer } from './malformed-answer.ts';

export type AnswerSink = {
  onHead(head: AnswerHead): void;
  /** A part of the bytes that were taken, not a copy. */
  onData(chunk: Buffer): void;
  /** `isClean`: nothing follows. */
  onEnd(isClean: boolean): void;
};

const HEAD_END = Buffer.from('\r\n\r\n');
const MAX_HEAD_BYTES = 64 * 1024;

export class AnswerParser {
  readonly #sink: AnswerSink;
  readonly #onData: (chunk: Buffer) => void;
  #state: 'head' | 'counted' | 'chunked' | 'rest' | 'stopped' = 'head';
  /** Of a head that has not come whole. */
  #partial: Buffer | undefined;
  #left = 0;
  #chunks = new ChunkedBody();

  constructor(sink: AnswerSink) {
    this.#sink = sink;
    this.#onData = (chunk) => sink.onData(chunk);
  }

  /** Throws MalformedAnswer. */
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

  /** The connection has ended. True when that is how the answer was to end. */
  finish(): boolean {
    if (this.#state !== 'rest') return false;
    this.#end(true);
    return true;
  }

  /** Nobody wants any more of it. */
  stop(): void {
    this.#state = 'stopped';
  }

  #takeHead(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(HEAD_END, at);
    if ((end === -1 ? bytes.length : end) - at > MAX_HEAD_BYTES)
      throw new MalformedAnswer('the head is too large');
    if (end === -1) {
      this.#partial = at === 0 ? bytes : bytes.subarray(at);
      return bytes.length;
    }
    this.#partial = undefined;
    const next = end + HEAD_END.length;
    const head = readAnswerHead(bytes.toString('latin1', at, end));
    if (head.status === 101) throw new MalformedAnswer('another protocol was not asked for');
    if (head.status >= 200) this.#begin(head, next === bytes.length);
    return next;
  }

  #begin(head: AnswerHead, isAllRead: boolean): void {
    const { body } = head;
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

  /** Whatever follows is not looked at any more. */
  #end(isClean: boolean): void {
    this.#state = isClean ? 'head' : 'stopped';
    this.#sink.onEnd(isClean);
  }

  #isStopped(): boolean {
    return this.#state === 'stopped';
  }
}
