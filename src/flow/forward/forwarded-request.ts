// The request that goes to another server in place of the caller's: the same method, path, query and body, the caller's
// headers without its credential, and the signature.

import type { IncomingHttpHeaders } from 'node:http';
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

export type ForwardSender = {
  readonly serverId: string;
  readonly secret: string;
  readonly clock: Clock;
  readonly newNonce: () => string;
};

/** Where the caller's key may be, headers of one connection, and headers that this server sets. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'cookie',
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
  'content-encoding',
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

export function forwardedRequest(
  sender: ForwardSender,
  request: NativeRequest,
  target: ServerName & { readonly url: string },
): UpstreamRequest {
  const { serverId, secret, clock, newNonce } = sender;
  const { path, query } = splitUrl(request.url);
  const call: InterServerCall = {
    method: 'POST',
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
    method: 'POST',
    headers: [
      ...passedHeaders(request.headers),
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
function splitUrl(url: string): { readonly path: string; readonly query: string } {
  const at = url.indexOf('?');
  if (at < 0) return { path: url, query: '' };
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

function passedHeaders(headers: IncomingHttpHeaders): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || NOT_FORWARDED.has(name)) return [];
    return typeof value === 'string' ? [name, value] : value.flatMap((each) => [name, each]);
  });
}

/** The remaining time, because it began at the origin. */
function deadlineHeader({ headers, startedAtMs }: NativeRequest, clock: Clock): string[] {
  const deadlineAtMs = readDeadline(headers, startedAtMs, clock);
  if (deadlineAtMs === undefined) return [];
  const remainingMs = Math.max(1, Math.floor(deadlineAtMs - clock.monotonic()));
  return ['x-request-deadline-ms', String(remainingMs)];
}
