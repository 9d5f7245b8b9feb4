// Requests that come through the listener of an application that embeds the gateway. Closing the gateway refuses new ones and
// waits for those in flight, because their connections belong to the application's server.
//
// States: open → closing (new requests are refused) → closed.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';

export type MountedRequests = {
  readonly handle: RequestListener;
  /** Resolves when no request is in flight; after the timeout their connections are closed. */
  close(timeoutMs: number): Promise<void>;
};

export type MountedRequestsParts = {
  readonly clock: Clock;
  readonly serve: RequestListener;
  readonly refuse: RequestListener;
};

export function createMountedRequests(parts: MountedRequestsParts): MountedRequests {
  const { clock, serve, refuse } = parts;
  const inFlight = new Set<ServerResponse>();
  let closing: PromiseWithResolvers<void> | undefined;
  let cancel: CancelTimer | undefined;

  function ended(response: ServerResponse): void {
    inFlight.delete(response);
    if (inFlight.size === 0) closing?.resolve();
  }

  return {
    handle(request: IncomingMessage, response: ServerResponse) {
      if (closing) return refuse(request, response);
      inFlight.add(response);
      response.once('close', () => ended(response));
      serve(request, response);
    },
    async close(timeoutMs) {
      closing ??= Promise.withResolvers();
      if (inFlight.size === 0) return;
      cancel ??= clock.after(timeoutMs, () => {
        for (const response of inFlight) response.destroy();
      });
      await closing.promise;
      cancel();
    },
  };
}

/** The answer to a request that arrives while the gateway closes. */
export function drainRefusal(): SpillwayError {
  return new SpillwayError('CAPACITY_EXHAUSTED', 'server is draining', { retryAfterMs: 1000 });
}
