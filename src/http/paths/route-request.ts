// Decides which handler gets a request. A POST to an AI endpoint under its documented path goes straight to the handler of
// calls; only other requests pay for the rest:
//
//   WebSocket handshake → 426 · mistyped path → corrected · other method on an AI endpoint → 405 or `allow` · else → framework
//
// Requests that the framework cannot match come back to `refuseUnserved`, before their body is read.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { WireFormat } from '../../errors/wire-shape.ts';
import { matchNativeRoute } from '../../upstream/native-route.ts';
import type { NativeHandler } from '../native-handler.ts';
import { canonicalPath } from './canonical-path.ts';
import { formatOfPath } from './path-format.ts';
import type { ServedMethods } from './served-methods.ts';

export type Refuse = (
  request: IncomingMessage,
  response: ServerResponse,
  error: SpillwayError,
  format: WireFormat,
) => void;

export type RequestRouterParts = {
  /** Undefined for a role that does not serve the AI endpoints. */
  readonly native: NativeHandler | undefined;
  readonly methods: ServedMethods;
  readonly refuse: Refuse;
};

export function createRequestRouter(
  parts: RequestRouterParts,
  framework: RequestListener,
): RequestListener {
  const { native, methods } = parts;
  return (request, response) => {
    if (hasSeveralHosts(request)) return refuseHosts(parts, request, response);
    if (native?.(request, response)) return;
    if (isWebSocketHandshake(request)) return refuseWebSocket(parts, request, response);
    const isCorrected = correctUrl(request, methods);
    if (isCorrected && native?.(request, response)) return;
    // Otherwise the framework would take `{model}:generateContent` for the name of a model.
    const isOtherMethod = native !== undefined && matchNativeRoute(request.url ?? '') !== undefined;
    if (isOtherMethod) return refuseUnserved(parts, request, response);
    framework(request, response);
  };
}

/** A proxy on the way and this server could take different ones for the host (RFC 9112, 3.2). Node keeps the first. */
function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && (name === 'host' || name.toLowerCase() === 'host')) hosts += 1;
  }
  return hosts > 1;
}

/** HTTP/1.1 demands a Host header of every request (RFC 9112, 3.2). */
export function lacksHost({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersionMinor === 1;
}

export function refuseWithoutHost(
  { methods, refuse }: RequestRouterParts,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const error = new SpillwayError('INVALID_REQUEST', 'the request has no Host header');
  response.setHeader('connection', 'close');
  refuse(request, response, error, errorFormat(methods, request));
}

function refuseHosts(
  { methods, refuse }: RequestRouterParts,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const error = new SpillwayError('INVALID_REQUEST', 'the request has several Host headers');
  refuse(request, response, error, errorFormat(methods, request));
}

/** Answers a request that no route matches: 404, 405 with `allow`, or the methods for OPTIONS. */
export function refuseUnserved(
  { methods, refuse }: Pick<RequestRouterParts, 'methods' | 'refuse'>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const path = pathOf(request);
  const { method = '' } = request;
  const allowed = methods.at(path);
  const format = errorFormat(methods, request);
  if (allowed.length === 0) return refuse(request, response, noEndpoint(path), format);
  const allow = allowed.join(', ');
  response.setHeader('allow', allow);
  if (method === 'OPTIONS') return void response.writeHead(204).end();
  refuse(request, response, wrongMethod(path, method, allow), format);
}

/** The format of an error for a request that no route takes. */
export function errorFormat({ isOwn }: ServedMethods, request: IncomingMessage): WireFormat {
  return formatOfPath(canonicalPath(pathOf(request)), request.headers, isOwn);
}

/** The path as sent, without the query. */
function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

/** Replaces the URL only if the corrected path is served, so that a refusal names the path as sent. */
function correctUrl(request: IncomingMessage, methods: ServedMethods): boolean {
  const path = pathOf(request);
  const corrected = canonicalPath(path);
  if (corrected === path || methods.at(corrected).length === 0) return false;
  request.url = corrected + (request.url ?? '').slice(path.length);
  return true;
}

function isWebSocketHandshake({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && headers.upgrade.toLowerCase() === 'websocket';
}

/**
 * Codex opens a WebSocket before each session. On 426 it falls back to HTTP at once; any other status costs it seconds of
 * reconnects.
 */
function refuseWebSocket(
  { methods, refuse }: RequestRouterParts,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const error = new SpillwayError('INVALID_REQUEST', 'no WebSocket is served', {
    params: { problem: 'no_websocket' },
  });
  response.setHeader('upgrade', 'HTTP/1.1');
  response.setHeader('connection', 'close');
  refuse(request, response, error, errorFormat(methods, request));
}

function noEndpoint(path: string): SpillwayError {
  return new SpillwayError('NOT_FOUND', `no endpoint at ${path}`, { params: { path } });
}

function wrongMethod(path: string, method: string, allow: string): SpillwayError {
  return new SpillwayError('INVALID_REQUEST', `${path} does not accept ${method}`, {
    params: { problem: 'wrong_method', path, method, allow },
  });
}
