// The baseline: the minimum a gateway on Node costs. node:http in front, undici `dispatch` behind; it buffers the
// request, forwards it with the caller's headers and relays the answer with back-pressure. It neither parses, counts,
// logs nor retries.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Dispatcher } from 'undici';
import { Pool } from 'undici';
import { serveOrders } from './serve-orders.ts';

/** These belong to one connection, not to the request (RFC 9110, 7.6.1). */
const PER_CONNECTION = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);
const PASSED_BACK = ['content-type', 'content-length'] as const;

serveOrders({
  listen(args) {
    const origin = `http://127.0.0.1:${parseUpstreamPort(args)}`;
    const pool = new Pool(origin, { allowH2: false, pipelining: 1, connections: 2_048 });
    return new Promise((resolve, reject) => {
      const server = createServer((request, response) => passOn(pool, request, response));
      server.on('error', reject);
      server.listen({ host: '127.0.0.1', port: 0, backlog: 2_048 }, () =>
        resolve(server.address()),
      );
    });
  },
});

/** Parsed by hand: a schema library would count as the bare proxy's memory. */
function parseUpstreamPort(args: unknown): number {
  if (typeof args === 'object' && args !== null && 'upstreamPort' in args)
    return Number(args.upstreamPort);
  throw new Error('Which upstream?');
}

function passOn(pool: Pool, request: IncomingMessage, response: ServerResponse): void {
  let body: Buffer | undefined;
  request.on('data', (chunk: Buffer) => {
    body = body ? Buffer.concat([body, chunk]) : chunk;
  });
  request.on('end', () => {
    pool.dispatch(
      {
        path: request.url ?? '/',
        method: request.method ?? 'POST',
        headers: requestHeaders(request.rawHeaders),
        body: body ?? null,
      },
      new PassBack(response),
    );
  });
}

function requestHeaders(raw: readonly string[]): string[] {
  const headers: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? '';
    if (!PER_CONNECTION.has(name.toLowerCase())) headers.push(name, raw[at + 1] ?? '');
  }
  return headers;
}

class PassBack implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#response.on('close', () => {
      if (!this.#response.writableFinished) controller.abort(new Error('The caller is gone'));
    });
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    const passed: string[] = [];
    for (const name of PASSED_BACK) {
      const value = headers[name];
      if (typeof value === 'string') passed.push(name, value);
    }
    this.#response.writeHead(status, passed);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#response.write(chunk)) return;
    controller.pause();
    this.#response.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.#response.end();
  }

  onResponseError(): void {
    if (this.#response.headersSent) this.#response.destroy();
    else this.#response.writeHead(502).end();
  }
}
