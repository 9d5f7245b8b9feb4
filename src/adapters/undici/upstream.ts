// Upstream over undici's `dispatch`, the cheapest way to speak HTTP from Node. One pool of connections per
// origin. HTTP/1.1 on purpose: with it one slow stream cannot hold up another on a shared connection.

import type { Dispatcher } from 'undici';
import { Pool } from 'undici';
import type {
  Upstream,
  UpstreamCall,
  UpstreamListener,
  UpstreamRequest,
} from '../../upstream/upstream.ts';

export type UndiciUpstreamOptions = {
  readonly connectTimeoutMs: number;
  readonly maxConnectionsPerOrigin: number;
};

export function createUndiciUpstream(options: UndiciUpstreamOptions): Upstream {
  const pools = new Map<string, Pool>();

  function poolFor(origin: string): Pool {
    let pool = pools.get(origin);
    if (!pool) {
      pool = new Pool(origin, {
        allowH2: false,
        connections: options.maxConnectionsPerOrigin,
        connect: { timeout: options.connectTimeoutMs },
        pipelining: 1,
      });
      pools.set(origin, pool);
    }
    return pool;
  }

  return {
    send(request, listener) {
      const call = new UndiciCall(listener);
      poolFor(request.origin).dispatch(dispatchOptions(request), call);
      return call;
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
      pools.clear();
    },
  };
}

function dispatchOptions(request: UpstreamRequest): Dispatcher.DispatchOptions {
  return {
    path: request.path,
    method: request.method,
    headers: request.headers,
    body: request.body,
    // The attempt keeps its own clocks, which know content from keep-alives.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

/** undici's handler and our call in one object: one allocation per request, no closures. */
class UndiciCall implements UpstreamCall, Dispatcher.DispatchHandler {
  readonly #listener: UpstreamListener;
  #controller: Dispatcher.DispatchController | undefined;
  #abortReason: Error | undefined;
  #hasEnded = false;

  constructor(listener: UpstreamListener) {
    this.#listener = listener;
  }

  abort(reason: Error): void {
    if (this.#hasEnded) return;
    this.#abortReason ??= reason;
    this.#controller?.abort(reason);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Aborted while it waited for a connection: the request must not be sent.
    if (this.#abortReason) controller.abort(this.#abortReason);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // 1xx answers are interim; the real head follows.
    if (status >= 200) this.#listener.onHead(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#listener.onData(chunk);
  }

  onResponseEnd(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#listener.onEnd();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#listener.onFailure(this.#abortReason ?? error);
  }
}
