// The AI endpoints, ahead of the framework: bytes in, bytes out. Its stages, in order:
//
//   match the path → credential → key → read the body → serve → one answer
//
// A failure at any stage is answered in the caller's own wire format, so that its SDK raises its own class.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Keyring } from '../admission/keyring.ts';
import type { Principal } from '../admission/principal.ts';
import { SpillwayError, toSpillwayError } from '../errors/spillway-error.ts';
import type { StreamEnding } from '../errors/wire-shape.ts';
import { addStandings, servedHeaders } from '../flow/serve/answer-headers.ts';
import { headerPairs } from '../flow/serve/header-pairs.ts';
import type { FailedRequest, Reply, ServedRequest } from '../flow/serve/reply.ts';
import { type ServeCallParts, serveCall } from '../flow/serve/serve-call.ts';
import type { Clock } from '../kernel/clock.ts';
import type { NewId } from '../kernel/ids.ts';
import { isArrayStream, matchNativeRoute, type NativeRoute } from '../upstream/native-route.ts';
import { readCorrelationId } from './correlation-id.ts';
import { readCredential } from './credential.ts';
import { readBody } from './read-body.ts';
import { type ErrorReplier } from './reply-error.ts';
import { MAX_SINGLE_WRITE_BYTES, writeChunk } from './write-chunk.ts';

export type NativeHandlerParts = {
  readonly keyring: Keyring;
  readonly serve: ServeCallParts;
  readonly replyError: ErrorReplier;
  readonly bodyLimitBytes: number;
  /** Other limits for single endpoints, by the path that documentation gives them. */
  readonly routeBodyLimitBytes: Readonly<Record<string, number>>;
  readonly clock: Clock;
  readonly newId: NewId;
};

/** True when the request is for an AI endpoint and will be answered here. */
export type NativeHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

export function createNativeHandler(parts: NativeHandlerParts): NativeHandler {
  return (request, response) => {
    if (request.method !== 'POST') return false;
    const route = matchNativeRoute(request.url ?? '');
    if (!route) return false;
    new NativeConnection(parts, request, response, route).accept();
    return true;
  };
}

/** One request on its connection; it is the flow's `Reply` as well, so that a request is one object. */
class NativeConnection implements Reply {
  readonly #parts: NativeHandlerParts;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #route: NativeRoute;
  readonly #id: string;
  readonly #startedAtMs: number;
  #principal: Principal | undefined;
  #served: ServedRequest | undefined;
  #hasWritten = false;

  constructor(
    parts: NativeHandlerParts,
    request: IncomingMessage,
    response: ServerResponse,
    route: NativeRoute,
  ) {
    this.#parts = parts;
    this.#request = request;
    this.#response = response;
    this.#route = route;
    this.#id = parts.newId('req');
    this.#startedAtMs = parts.clock.monotonic();
  }

  accept(): void {
    const { keyring } = this.#parts;
    const credential = readCredential(this.#request.headers, this.#route.queryKey);
    const principal = credential === undefined ? undefined : keyring.known(credential);
    if (principal) return this.#authenticated(principal);
    keyring.find(credential).then(
      (found) => this.#authenticated(found),
      (error: unknown) => this.#refuse(error),
    );
  }

  begin(status: number, headers: string[]): void {
    this.#response.writeHead(status, headers);
  }

  write(chunk: Buffer): boolean {
    const isFirst = !this.#hasWritten;
    this.#hasWritten ||= chunk.length > 0;
    if (writeChunk(this.#response, chunk, isFirst)) return true;
    // An answer whose turn on its connection has not come has no socket yet; Node tells when it does.
    const { socket } = this.#response;
    (socket ?? this.#response).once('drain', () => this.#served?.drained());
    return false;
  }

  end(chunk?: Buffer | string): void {
    if (typeof chunk !== 'object' || chunk.length > MAX_SINGLE_WRITE_BYTES) {
      this.#response.end(chunk);
      return;
    }
    // As a text it goes out with the headers in one plain write; latin1 keeps every byte as it is.
    this.#response.end(chunk.toString('latin1'), 'latin1');
  }

  #authenticated(principal: Principal): void {
    this.#principal = principal;
    if (!principal.scopes.has('call')) {
      return this.#refuse(new SpillwayError('FORBIDDEN', 'the key lacks the scope call'));
    }
    const { bodyLimitBytes, routeBodyLimitBytes } = this.#parts;
    readBody(
      this.#request,
      routeBodyLimitBytes[this.#route.endpoint] ?? bodyLimitBytes,
      (body) => this.#serve(principal, body),
      (error) => this.#refuse(error),
    );
  }

  #serve(principal: Principal, body: Buffer): void {
    const { headers } = this.#request;
    const request = {
      id: this.#id,
      url: this.#request.url ?? '',
      route: this.#route,
      principal,
      headers,
      body,
      correlationId: readCorrelationId(headers),
      startedAtMs: this.#startedAtMs,
    };
    this.#response.once('close', () => this.#served?.gone());
    try {
      this.#served = serveCall(this.#parts.serve, request, this, (failure) => this.#fail(failure));
    } catch (thrown) {
      this.#refuse(thrown);
    }
  }

  /** Nothing has been done for this request. */
  #refuse(thrown: unknown): void {
    this.#fail({ error: toSpillwayError(thrown), isBegun: false, wasCalled: false });
  }

  #fail(failed: FailedRequest): void {
    const { error, isBegun, beforeSend } = failed;
    if (!isBegun) this.#showFacts(failed);
    this.#parts.replyError({
      error,
      format: this.#route.format,
      requestId: this.#id,
      request: this.#request,
      response: this.#response,
      principal: this.#principal,
      isBegun,
      ending: this.#ending(),
      beforeSend,
    });
  }

  #ending(): StreamEnding {
    if (this.#route.operation === 'responses') return 'response_event';
    if (!isArrayStream(this.#route)) return 'event';
    return this.#hasWritten ? 'next_element' : 'only_element';
  }

  /** What a failure's headers say besides the failure itself, as those of an answer do. */
  #showFacts({ attempts = 0, standings = [] }: FailedRequest): void {
    const { clock, serve } = this.#parts;
    const headers = servedHeaders(serve.serverId, attempts);
    addStandings(headers, standings, clock.now());
    for (const [name, value] of headerPairs(headers)) this.#response.setHeader(name, value);
  }
}
