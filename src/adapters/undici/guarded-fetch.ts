// `Egress` over undici. Connections go through guarded-connect.ts and never through a proxy, which would resolve the name
// itself. Redirects are not followed, nothing is decompressed, and an answer is read up to its bound.

import { Agent, type Dispatcher, request as send } from 'undici';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { Egress, EgressAnswer, EgressRequest } from '../../jobs/ports/egress.ts';
import { createGuardedConnect, type GuardedConnectParts, refused } from './guarded-connect.ts';

/**
 * More than the simultaneous images and callbacks of one organisation, so that no organisation occupies all connections
 * of a common host.
 */
const CONNECTIONS_PER_HOST = 128;
const MAX_IDLE_MS = 2000;

export function createGuardedFetch(parts: GuardedConnectParts): Egress {
  const agent = new Agent({
    connect: createGuardedConnect(parts),
    connections: CONNECTIONS_PER_HOST,
    keepAliveTimeout: MAX_IDLE_MS,
    pipelining: 1,
  });
  let closing: Promise<void> | undefined;
  return {
    async send(request, signal) {
      requireWeb(request.url);
      const time = AbortSignal.timeout(request.timeoutMs);
      const until = signal ? AbortSignal.any([signal, time]) : time;
      try {
        return await readAnswer(await ask(agent, request, until), request);
      } catch (cause) {
        throw toEgressError(cause);
      }
    },
    close() {
      closing ??= agent.close();
      return closing;
    },
  };
}

function ask(
  dispatcher: Agent,
  { url, method, headers, body, timeoutMs }: EgressRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  return send(url, {
    dispatcher,
    method,
    headers: { ...headers, 'accept-encoding': 'identity' },
    body: body ?? null,
    signal,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
}

async function readAnswer(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { maxAnswerBytes, onBytes }: EgressRequest,
): Promise<EgressAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop destroys the body and its connection.
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) break;
    onBytes?.(chunk.length);
    chunks.push(chunk);
  }
  const type = headers['content-type'];
  return {
    status: statusCode,
    contentType: typeof type === 'string' ? type : undefined,
    body: Buffer.concat(chunks),
    isCut: bytes > maxAnswerBytes,
  };
}

/** Only HTTP URLs without credentials. */
function requireWeb(url: string): void {
  const parsed = URL.parse(url);
  const isWeb = parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
  if (!isWeb || parsed.username !== '' || parsed.password !== '') throw refused();
}

function toEgressError(cause: unknown): SpillwayError {
  if (cause instanceof SpillwayError) return cause;
  const params = { phase: 'connect' } as const;
  return new SpillwayError('NETWORK_TIMEOUT', 'the host did not answer', { params, cause });
}
