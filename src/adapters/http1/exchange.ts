// One request and its response, independent of the connection that carries it. The listener gets exactly one outcome.
// States: queued (waits for a connection) → sent → ended.

import type { UpstreamCall, UpstreamListener, UpstreamRequest } from '../../upstream/upstream.ts';
import type { ResponseHead } from './response-head.ts';

/** The connection that carries an exchange, or the queue in which it waits. */
export type Transport = {
  /** The exchange was aborted. */
  drop(exchange: Exchange): void;
  pause(): void;
  resume(): void;
};

export class Exchange implements UpstreamCall {
  readonly request: UpstreamRequest;
  readonly #listener: UpstreamListener;
  #transport: Transport | undefined;
  #isEnded = false;

  constructor(request: UpstreamRequest, listener: UpstreamListener) {
    this.request = request;
    this.#listener = listener;
  }

  attach(transport: Transport): void {
    this.#transport = transport;
  }

  abort(reason: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#transport?.drop(this);
    this.#listener.onFailure(reason);
  }

  pause(): void {
    if (!this.#isEnded) this.#transport?.pause();
  }

  resume(): void {
    if (!this.#isEnded) this.#transport?.resume();
  }

  begun({ status, headers }: ResponseHead): void {
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
