// Cross-origin requests of browsers (Fetch standard). Off without configured origins. Spillway authenticates by header and
// uses no cookie, so it never allows credentials, neither for `*` nor for a named origin.

import type { IncomingMessage, ServerResponse } from 'node:http';

/** Adds the headers for an allowed origin; true if the request was a preflight and is answered. */
export type Cors = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Undefined if no origin is allowed, so that requests cost nothing. */
export function createCors(origins: readonly string[]): Cors | undefined {
  if (origins.length === 0) return undefined;
  const allowed = new Set(origins);
  const isAny = allowed.has('*');
  return (request, response) => {
    const { origin } = request.headers;
    // Caches must not serve the response for one origin to another.
    if (!isAny) response.appendHeader('vary', 'origin');
    if (origin === undefined || !(isAny || allowed.has(origin))) return false;
    response.setHeader('access-control-allow-origin', isAny ? '*' : origin);
    if (request.method === 'OPTIONS' && 'access-control-request-method' in request.headers) {
      answerPreflight(request, response);
      return true;
    }
    response.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
    return false;
  };
}

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const MAX_AGE_SECONDS = 600;
const EXPOSED_HEADERS = [
  'x-request-id',
  'request-id',
  'x-correlation-id',
  'x-spillway-code',
  'x-spillway-served-by',
  'x-spillway-attempts',
  'x-spillway-cost-usd',
  'x-spillway-degraded',
  'idempotent-replayed',
  'preference-applied',
  'location',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'x-rate-limit-type',
  'x-rate-limit-reset',
  ...['limit', 'remaining', 'reset'].flatMap((fact) => [
    `x-ratelimit-${fact}-requests`,
    `x-ratelimit-${fact}-tokens`,
  ]),
].join(', ');

/** SDKs send dozens of headers of their own, and `*` does not include `authorization`: the wanted ones are allowed. */
function answerPreflight({ headers }: IncomingMessage, response: ServerResponse): void {
  const wanted = headers['access-control-request-headers'];
  if (wanted !== undefined && HEADER_NAMES.test(wanted))
    response.setHeader('access-control-allow-headers', wanted);
  response.appendHeader('vary', 'access-control-request-headers');
  response.setHeader('access-control-allow-methods', METHODS);
  response.setHeader('access-control-max-age', MAX_AGE_SECONDS);
  response.writeHead(204);
  response.end();
}

const HEADER_NAMES = /^[\w, -]{1,4000}$/;
