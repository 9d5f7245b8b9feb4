// The shop's own server: the page, the assistant, and the parts of Spillway's API that a page may use. It adds the key, chooses
// model and system prompt, and passes on an allow-list of headers in both directions. A job's id cannot be guessed; a
// product with accounts would also store which user owns it.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { PageFiles } from './bundle-page.ts';
import { buildProductPage } from './product-page.ts';
import { rehearse } from './rehearsals.ts';
import type { Spillway } from './spillway.ts';

const MODEL = 'claude-sonnet-5-5';
const SYSTEM = 'You are the assistant of a shop for outdoor equipment. Answer in two sentences.';
const MAX_BODY_BYTES = 64 * 1024;

const SENT_HEADERS = [
  'accept',
  'accept-language',
  'x-time-zone',
  'idempotency-key',
  'prefer',
  'last-event-id',
];
const ANSWERED_HEADERS = [
  'content-type',
  'location',
  'preference-applied',
  'retry-after',
  'retry-after-ms',
  'x-request-id',
  'x-should-retry',
  'x-spillway-code',
  'x-spillway-degraded',
];
/** Jobs and build events, as `spillway/client` follows them under the base `/api`. */
const READABLE = /^\/v1\/(jobs\/[\w%.-]+(\/events)?|builds\/[\w%.-]+\/events)$/;
const PAGE_POLICY =
  "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'";

export function createShop(files: PageFiles, spillway: Spillway): RequestListener {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url ?? '/', 'http://shop');
    const file = files.get(pathname);
    if (file && request.method === 'GET') return sendFile(response, file);
    if (request.method === 'POST' && pathname === '/api/chat') return chat(request, response);
    if (request.method === 'POST' && pathname === '/api/product-pages')
      return sendJson(response, 202, { buildId: buildProductPage(spillway, MODEL) });
    if (request.method === 'POST' && pathname === '/api/rehearsals') {
      await rehearse(spillway, await readJson(request));
      return sendJson(response, 200, {});
    }
    const path = pathname.replace(/^\/api(?=\/)/, '');
    if (/^(GET|DELETE)$/.test(request.method ?? '') && pathname !== path && READABLE.test(path))
      return pass(request, response, path + search);
    sendJson(response, 404, {});
  }

  async function chat(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { messages } = await readJson(request);
    const body = { model: MODEL, max_tokens: 500, system: SYSTEM, messages, stream: true };
    await pass(request, response, '/v1/messages', JSON.stringify(body));
  }

  /** Aborts the call to Spillway when the page closes its connection. */
  async function pass(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    body?: string,
  ): Promise<void> {
    const leaving = new AbortController();
    response.once('close', () => leaving.abort());
    const headers = new Headers(body === undefined ? {} : { 'content-type': 'application/json' });
    for (const name of SENT_HEADERS) {
      const value = request.headers[name];
      if (typeof value === 'string') headers.set(name, value);
    }
    const { method = 'GET' } = request;
    const call = {
      method,
      headers,
      signal: leaving.signal,
      ...(body === undefined ? {} : { body }),
    };
    const answered = await spillway.call(path, call);
    for (const name of ANSWERED_HEADERS) {
      const value = answered.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.writeHead(answered.status, { 'cache-control': 'no-store' });
    if (!answered.body) return void response.end();
    Readable.fromWeb(answered.body)
      .once('error', () => response.destroy())
      .pipe(response);
  }

  return (request, response) => {
    answer(request, response).catch(() => {
      if (response.headersSent) return void response.destroy();
      // Spillway restarts: the client comes back after this time.
      response.setHeader('retry-after', '1');
      sendJson(response, 503, {});
    });
  };
}

function sendFile(response: ServerResponse, { type, text }: { type: string; text: string }): void {
  response.writeHead(200, {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': PAGE_POLICY,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  });
  response.end(text);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Pages of other origins cannot send this content type without permission. */
async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  if (request.headers['content-type'] !== 'application/json') throw new Error('not JSON');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error('too large');
    chunks.push(chunk);
  }
  const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
