// One request dispatched through undici, and its response. The listener gets exactly one outcome, although undici reports a
// response after the proxy's 407 and errors after an abort.
// States: queued (undici waits for a connection) → sent → ended. undici cannot withdraw a queued request: an aborted
// request is refused when its turn comes, before any byte of it is sent.

import type { Dispatcher } from 'undici';
import type {
  UpstreamCall,
  UpstreamHeaders,
  UpstreamListener,
  UpstreamRequest,
} from '../../upstream/upstream.ts';
import { toUpstreamFailure } from './upstream-failure.ts';

type State =
  | { readonly kind: 'queued' }
  | { readonly kind: 'sent'; readonly controller: Dispatcher.DispatchController }
  | { readonly kind: 'ended'; readonly reason: Error | undefined };

export class DispatchedCall implements UpstreamCall, Dispatcher.DispatchHandler {
  readonly #listener: UpstreamListener;
  #state: State = { kind: 'queued' };
  #isDispatching = false;

  constructor(listener: UpstreamListener) {
    this.#listener = listener;
  }

  dispatch(dispatcher: Dispatcher, { origin, path, method, headers, body }: UpstreamRequest): void {
    this.#isDispatching = true;
    dispatcher.dispatch({ origin, path, method, headers, body }, this);
    this.#isDispatching = false;
  }

  abort(reason: Error): void {
    const state = this.#state;
    if (!this.#end(reason)) return;
    if (state.kind === 'sent') state.controller.abort(reason);
    this.#listener.onFailure(reason);
  }

  pause(): void {
    if (this.#state.kind === 'sent') this.#state.controller.pause();
  }

  resume(): void {
    if (this.#state.kind === 'sent') this.#state.controller.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#state.kind === 'queued') this.#state = { kind: 'sent', controller };
    else if (this.#state.kind === 'ended')
      controller.abort(this.#state.reason ?? new Error('the call has ended'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: UpstreamHeaders,
  ): void {
    // Interim responses (1xx) precede the response.
    if (this.#state.kind === 'sent' && status >= 200) this.#listener.onHead(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#state.kind === 'sent') this.#listener.onData(chunk);
  }

  onResponseEnd(): void {
    if (this.#end(undefined)) this.#listener.onEnd();
  }

  /** An invalid request fails within `dispatch`; the listener must not be called before `send` has returned. */
  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isDispatching) queueMicrotask(() => this.#fail(error));
    else this.#fail(error);
  }

  #fail(error: Error): void {
    const failure = toUpstreamFailure(error);
    if (this.#end(failure)) this.#listener.onFailure(failure);
  }

  /** True for the first call only. */
  #end(reason: Error | undefined): boolean {
    if (this.#state.kind === 'ended') return false;
    this.#state = { kind: 'ended', reason };
    return true;
  }
}
