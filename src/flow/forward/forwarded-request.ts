// The request that goes to another server in place of the caller's: the same method, path, query and body, the caller's
// headers without its credential, and the signature.

import {
  contentDigest,
  type InterServerCall,
  type ServerName,
  signCall,
  targetText,
} from '../../cluster/inter-server/call-signature.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { UpstreamRequest } from '../../upstream/upstream.ts';
import type { NativeRequest } from '../serve/native-request.ts';
import { readDeadline } from '../serve/request-deadline.ts';
import { encodePrincipal } from './forwarded-principal.ts';

/** A request at an AI endpoint, or at a route of the application that embeds the gateway. */
export type ForwardableRequest = Pick<
  NativeRequest,
  'id' | 'url' | 'principal' | 'headers' | 'body' | 'startedAtMs'
> & {
  /** Set for a route of the application: its handler at the other server needs the caller's own credentials. */
  readonly own?: { readonly method: OwnMethod };
};

const OWN_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type OwnMethod = (typeof OWN_METHODS)[number];

export function isOwnMethod(method: string): method is OwnMethod {
  return OWN_METHODS.some((each) => each === method);
}

export type ForwardSender = {
  readonly serverId: string;
  readonly secret: string;
  readonly clock: Clock;
  readonly newNonce: () => string;
};

/** Headers of one connection, and headers that this server sets. */
const NEVER_FORWARDED: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'content-length',
  'content-digest',
  'signature',
  'signature-input',
  'x-spillway-request',
  'x-request-deadline-ms',
  'x-original-server',
  'x-spillway-source',
  'x-spillway-target',
  'x-spillway-hop',
  'x-spillway-principal',
]);

/**
 * Headers that may contain the caller's key, and the coding of the body, which an AI endpoint decodes before it
 * forwards the request.
 */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  ...NEVER_FORWARDED,
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'cookie',
  'content-encoding',
]);

export function forwardedRequest(
  sender: ForwardSender,
  request: ForwardableRequest,
  target: ServerName & { readonly url: string },
): UpstreamRequest {
  const { serverId, secret, clock, newNonce } = sender;
  const method = request.own?.method ?? 'POST';
  const { path, query } = splitUrl(request);
  const call: InterServerCall = {
    method,
    path,
    query,
    digest: contentDigest(request.body),
    source: serverId,
    target,
    requestId: request.id,
    principal: encodePrincipal(request.principal),
  };
  const terms = { created: Math.floor(clock.now() / 1000), nonce: newNonce() };
  const { input, signature } = signCall(call, terms, secret);
  return {
    origin: new URL(target.url).origin,
    path: path + query,
    method,
    headers: [
      ...passedHeaders(request),
      ...deadlineHeader(request, clock),
      'content-digest',
      call.digest,
      'x-original-server',
      serverId,
      'x-spillway-source',
      serverId,
      'x-spillway-target',
      targetText(target),
      'x-spillway-hop',
      '1',
      'x-spillway-request',
      request.id,
      'x-spillway-principal',
      call.principal,
      'signature-input',
      input,
      'signature',
      signature,
    ],
    body: request.body,
  };
}

/** Gemini's clients send their key in the query. */
function splitUrl({ url, own }: ForwardableRequest): {
  readonly path: string;
  readonly query: string;
} {
  const at = url.indexOf('?');
  if (at < 0) return { path: url, query: '' };
  if (own) return { path: url.slice(0, at), query: url.slice(at) };
  const kept = url
    .slice(at + 1)
    .split('&')
    .filter((pair) => pair !== '' && decodedName(pair) !== 'key');
  return { path: url.slice(0, at), query: kept.length === 0 ? '' : `?${kept.join('&')}` };
}

function decodedName(pair: string): string {
  const [name = ''] = new URLSearchParams(pair).keys();
  return name;
}

function passedHeaders({ headers, own }: ForwardableRequest): string[] {
  const dropped = own ? NEVER_FORWARDED : NOT_FORWARDED;
  return Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || dropped.has(name)) return [];
    return typeof value === 'string' ? [name, value] : value.flatMap((each) => [name, each]);
  });
}

/** The remaining time, because the request began at the origin. */
function deadlineHeader({ headers, startedAtMs }: ForwardableRequest, clock: Clock): string[] {
  const deadlineAtMs = readDeadline(headers, startedAtMs, clock);
  if (deadlineAtMs === undefined) return [];
  const remainingMs = Math.max(1, Math.floor(deadlineAtMs - clock.monotonic()));
  return ['x-request-deadline-ms', String(remainingMs)];
}
