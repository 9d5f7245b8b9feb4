// One request and its response while both are open: the response, its truth log entry, and a signal that
// aborts when the caller disconnects. Every answer goes through here, which keeps the log exact.

import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Clock } from '../kernel/clock.ts';
import type { Route } from './route.ts';
import { hashCredential } from './truth/digest.ts';
import type { OpenEntry, Outcome } from './truth/truth-entry.ts';
import type { TruthLog } from './truth/truth-log.ts';

export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: Route;
  readonly clock: Clock;
  readonly log: TruthLog;
  readonly entry: OpenEntry;
  /** Aborted when the connection closes, on either side. */
  readonly signal: AbortSignal;
  /** Unique in this simulator and the same in every run. */
  readonly id: string;
};

export type ExchangeContext = {
  readonly clock: Clock;
  readonly log: TruthLog;
  readonly isClosing: () => boolean;
};

export function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  route: Route,
  { clock, log, isClosing }: ExchangeContext,
): Exchange {
  const entry = log.open(factsOf(request, route, log));
  const gone = new AbortController();
  response.once('close', () => {
    if (entry.finishedAt === null) {
      const outcome =
        entry.outcome === 'hung' ? 'hung' : isClosing() ? 'closed' : 'aborted_by_client';
      log.finish(entry, { outcome, abortedAt: isClosing() ? null : clock.now() });
    }
    gone.abort(CONNECTION_CLOSED);
  });
  const id = `sim${String(entry.sequence).padStart(9, '0')}`;
  return { request, response, route, clock, log, entry, signal: gone.signal, id };
}

/** Created once: the default abort reason captures a stack trace, and no code reads it. */
const CONNECTION_CLOSED = Object.freeze(new Error('the connection is closed'));

/** Sends a complete response. */
export function answerWhole(
  exchange: Exchange,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string,
  outcome: Outcome,
): void {
  const { response, entry, log } = exchange;
  entry.status = status;
  response.writeHead(status, {
    ...headers,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body, (error?: Error | null) => {
    if (!error) log.finish(entry, { outcome });
  });
}

/** Destroys the connection after all written bytes were flushed. */
export function cutConnection(exchange: Exchange, outcome: Outcome): void {
  exchange.log.finish(exchange.entry, { outcome });
  exchange.response.destroy();
}

/** Bounds the size of caller-supplied text in the log. */
const MAX_TEXT = 256;

type RequestFacts = Omit<OpenEntry, 'sequence' | 'startedAt'>;

function factsOf(request: IncomingMessage, route: Route, log: TruthLog): RequestFacts {
  const { headers } = request;
  const credential = credentialOf(request, route);
  return {
    finishedAt: null,
    abortedAt: null,
    provider: route.provider,
    dialect: route.dialect,
    operation: route.operation,
    method: request.method ?? '',
    path: log.share(route.path.slice(0, MAX_TEXT)),
    model: route.pathModel ?? null,
    stream: route.streaming === 'sse' || route.streaming === 'json-array',
    credentialHash: credential === undefined ? null : log.share(hashCredential(credential)),
    status: null,
    outcome: 'pending',
    chunksSent: 0,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    headerNames: log.shareNames(Object.keys(headers)),
    requestId: short(correlationOf(request)),
    idempotencyKey: short(firstOf(headers['idempotency-key'])),
    bodyBytes: 0,
    bodyDigest: null,
    scenario: 'default',
  };
}

function credentialOf({ headers }: IncomingMessage, route: Route): string | undefined {
  const bearer = headers.authorization?.replace(/^bearer +/i, '');
  return bearer ?? firstOf(headers['x-api-key'] ?? headers['x-goog-api-key']) ?? route.queryKey;
}

function correlationOf({ headers }: IncomingMessage): string | undefined {
  const { 'x-request-id': own, 'x-correlation-id': other, 'x-client-request-id': third } = headers;
  return firstOf(own ?? other ?? third);
}

function firstOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

function short(text: string | undefined): string | null {
  return text?.slice(0, MAX_TEXT) ?? null;
}
