// One request and its answer, whichever connection carries it. Whoever sent it is told of exactly one ending.
// States: waiting (for a connection) → carried → ended.

import type { UpstreamCall, UpstreamListener, UpstreamRequest } from '../../upstream/upstream.ts';
import type { AnswerHead } from './answer-head.ts';

/** What carries an exchange, or lets it wait. */
export type Carrier = {
  /** It has been given up. */
  drop(exchange: Exchange): void;
  pause(): void;
  resume(): void;
};

export class Exchange implements UpstreamCall {
  readonly request: UpstreamRequest;
  readonly #listener: UpstreamListener;
  #carrier: Carrier | undefined;
  #isEnded = false;

  constructor(request: UpstreamRequest, listener: UpstreamListener) {
    this.request = request;
    this.#listener = listener;
  }

  carriedBy(carrier: Carrier): void {
    this.#carrier = carrier;
  }

  abort(reason: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#carrier?.drop(this);
    this.#listener.onFailure(reason);
  }

  pause(): void {
    if (!this.#isEnded) this.#carrier?.pause();
  }

  resume(): void {
    if (!this.#isEnded) this.#carrier?.resume();
  }

  begun({ status, headers }: AnswerHead): void {
    this.#listener.onHead(status, headers);
  }

  data(chunk: Buffer): void {
    this.#listener.onData(chunk);
  }

  ended(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#listener.onEnd();
  }

  failed(error: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#listener.onFailure(error);
  }
}
