// The listener of the HTTP server and its shutdown, and the door for requests of an application's own listener.
//
// States: created → listening → lame duck (every response closes its connection) → draining (no new connections; requests
// in flight finish) → closed. The lame-duck phase keeps a caller's next request from crossing with the close.

import type { RequestListener, Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type Clock, sleep } from '../../kernel/clock.ts';
import { createMountedRequests } from './mounted-requests.ts';

/** Callers with an open connection send their next request within this time and get `Connection: close` with the response. */
const LAME_DUCK_MS = 500;
/** Load balancers may take a while to notice: the listener stays open while requests arrive, up to this time. */
const MAX_LAME_DUCK_MS = 5000;
/** A connection that was accepted last has sent its request, and needs this long to be read. */
const FIRST_REQUEST_MS = 250;

export type Draining = {
  isOn: boolean;
  /** Of the last request other than a health check while draining, on the monotonic clock. */
  lastRequestAtMs: number;
};

export type HttpServer = {
  /** Resolves to the URL it listens on. */
  listen(host: string, port: number): Promise<string>;
  /** Serves a request of another server's listener, which the application owns. */
  readonly handle: RequestListener;
  /** While on, every response closes its connection, so that callers open the next one elsewhere. */
  setDraining(isOn: boolean): void;
  /** Idempotent: refuses new connections, waits for requests in flight, and closes them after the drain timeout. */
  close(): Promise<void>;
};

export type ServerListenerParts = {
  readonly clock: Clock;
  readonly options: { readonly drainTimeoutMs: number };
  readonly draining: Draining;
  /** Answers a request that arrives while the server closes. */
  readonly refuseClosing: RequestListener;
};

export function createServerListener(app: FastifyInstance, parts: ServerListenerParts): HttpServer {
  const { draining } = parts;
  let closing: Promise<void> | undefined;
  const mounted = createMountedRequests({
    clock: parts.clock,
    serve: (request, response) => void app.server.emit('request', request, response),
    refuse: parts.refuseClosing,
  });

  /** Waits until no request has arrived for the lame-duck time. */
  async function untilQuiet(): Promise<void> {
    const { clock } = parts;
    const startedAtMs = clock.monotonic();
    do await sleep(clock, LAME_DUCK_MS);
    while (
      clock.monotonic() - draining.lastRequestAtMs < LAME_DUCK_MS &&
      clock.monotonic() - startedAtMs < MAX_LAME_DUCK_MS
    );
  }

  async function close(): Promise<void> {
    draining.isOn = true;
    if (await hasConnections(app.server)) await untilQuiet();
    await stopAccepting(app.server);
    await mounted.close(parts.options.drainTimeoutMs);
    if (await hasConnections(app.server)) await sleep(parts.clock, FIRST_REQUEST_MS);
    const cancel = parts.clock.after(parts.options.drainTimeoutMs, () =>
      app.server.closeAllConnections(),
    );
    // Also closes idle connections.
    await app.close();
    cancel();
  }

  return {
    listen: (host, port) => app.listen({ host, port }),
    handle: mounted.handle,
    setDraining(isOn) {
      draining.isOn = isOn || closing !== undefined;
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/**
 * Closes the listening socket alone: `http.Server.close` would also end connections that have not been read yet. Right after
 * the poll phase of the event loop the backlog is empty; the kernel resets connections that wait in it.
 */
function stopAccepting(server: Server): Promise<void> {
  return new Promise((resolve) =>
    setImmediate(() => {
      NetServer.prototype.close.call(server);
      resolve();
    }),
  );
}

function hasConnections(server: Server): Promise<boolean> {
  return new Promise((resolve) =>
    server.getConnections((error, count) => resolve(!error && count > 0)),
  );
}
