// The AI endpoints, handled before fastify: bytes in, bytes out. The stages, in order:
//
//   match the path → credential → key → admit the body → read it → serve → one response
//
// A request that another server forwards has a signature in place of the credential (inter-server-gate).
//
// A failure of any stage is sent in the caller's wire format, so that its SDK raises its own error class.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Keyring } from '../admission/keyring.ts';
import type { Principal } from '../admission/principal.ts';
import { SpillwayError, toSpillwayError } from '../errors/spillway-error.ts';
import type { BegunResponse, StreamEnding } from '../errors/wire-shape.ts';
import { addStandings, headerPairs, servedHeaders } from '../flow/serve/answer-headers.ts';
import type { ForeseeRefusal } from '../flow/serve/foresee-refusal.ts';
import { prefersAsync } from '../flow/serve/queue-call.ts';
import type { FailedRequest, Reply, ServedRequest } from '../flow/serve/reply.ts';
import { type ServeCallParts, serveCall } from '../flow/serve/serve-call.ts';
import { serveRequest } from '../flow/serve/serve-request.ts';
import { startCallSpan } from '../flow/telemetry/call-span.ts';
import type { Clock } from '../kernel/clock.ts';
import type { NewId } from '../kernel/ids.ts';
import type { Span, Tracer } from '../kernel/telemetry/tracer.ts';
import { addHop, hopOf } from '../upstream/hops.ts';
import {
  chargeOf,
  isArrayStream,
  matchNativeRoute,
  type NativeRoute,
} from '../upstream/native-route.ts';
import { readBegunResponse } from './begun-response.ts';
import { type BodyLease, type BodyQuota, MAX_SMALL_BODY_BYTES } from './bodies/body-quota.ts';
import { announcedBytes, type BodyIntake, readBody } from './bodies/read-body.ts';
import { expectReading, isLargeAnswer } from './bodies/unread-answers.ts';
import { readCorrelationId } from './correlation-id.ts';
import { findPrincipal, hasCredential, readCredential } from './credential.ts';
import type { AcceptedForward, InterServerGate } from './inter-server-gate.ts';
import { addressSubject, keySubject, type RefusalLimit } from './refusal-limit.ts';
import { type ErrorReplier } from './reply-error.ts';
import { MAX_SINGLE_WRITE_BYTES, writeChunk } from './write-chunk.ts';

export type NativeHandlerParts = {
  readonly keyring: Keyring;
  /** Undefined: no server may forward requests to this one. */
  readonly interServer?: InterServerGate | undefined;
  readonly serve: ServeCallParts;
  readonly replyError: ErrorReplier;
  readonly quota: BodyQuota;
  readonly intake: BodyIntake;
  readonly foreseeRefusal: ForeseeRefusal;
  readonly refusals: RefusalLimit;
  readonly bodyLimitBytes: number;
  /** Body limits of single endpoints, by their documented path. */
  readonly routeBodyLimitBytes: Readonly<Record<string, number>>;
  readonly clock: Clock;
  readonly newId: NewId;
};

/** True if the request is for an AI endpoint and this handler sends the response. */
export type NativeHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

export function createNativeHandler(parts: NativeHandlerParts): NativeHandler {
  const ownHop = hopOf(parts.serve.serverId);
  return (request, response) => {
    if (request.method !== 'POST') return false;
    const route = matchNativeRoute(request.url ?? '');
    if (!route) return false;
    const connection = new NativeConnection(parts, request, response, route);
    if (addHop(request.headers, ownHop)) connection.accept();
    else connection.refuseLoop();
    return true;
  };
}

/** One request. It also implements the flow's `Reply`, which saves an object per request. */
class NativeConnection implements Reply {
  readonly #parts: NativeHandlerParts;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #route: NativeRoute;
  #id: string;
  readonly #startedAtMs: number;
  #principal: Principal | undefined;
  #forwarded: AcceptedForward | undefined;
  #lease: BodyLease | undefined;
  #served: ServedRequest | undefined;
  #isClosed = false;
  #hasWritten = false;
  #begunResponse: BegunResponse | undefined;
  /** Set where traces are exported. */
  #span: Span | undefined;
  #failure: string | undefined;

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
    const { keyring, interServer } = this.#parts;
    if (interServer?.isClaimed(this.#request)) return this.#acceptForwarded(interServer);
    const credential = readCredential(this.#request.headers, this.#route.queryKey);
    const principal = credential === undefined ? undefined : keyring.known(credential);
    if (principal) return this.#authenticated(principal);
    const isGuess = hasCredential(this.#request.headers, this.#route.queryKey);
    const blocked = isGuess && this.#parts.refusals.blocked(addressSubject(this.#request));
    if (blocked) return this.#refuse(blocked);
    findPrincipal(keyring, this.#request.headers, this.#route.queryKey).then(
      (found) => this.#authenticated(found),
      (error: unknown) => this.#refuse(error),
    );
  }

  #acceptForwarded(interServer: InterServerGate): void {
    try {
      this.#forwarded = interServer.accept(this.#request);
    } catch (refusal) {
      return this.#refuse(refusal);
    }
    this.#id = this.#forwarded.requestId;
    this.#authenticated(this.#forwarded.principal);
  }

  refuseLoop(): void {
    this.#refuse(new SpillwayError('LOOP_DETECTED', 'the request has passed this server before'));
  }

  begin(status: number, headers: string[]): void {
    this.#response.writeHead(status, headers);
  }

  write(chunk: Buffer): boolean {
    const isFirst = !this.#hasWritten;
    this.#hasWritten ||= chunk.length > 0;
    if (isFirst && this.#route.operation === 'responses')
      this.#begunResponse = readBegunResponse(chunk);
    if (writeChunk(this.#response, chunk, isFirst)) return true;
    // A pipelined response has no socket before its turn; the response then emits `drain` itself.
    const { socket } = this.#response;
    (socket ?? this.#response).once('drain', () => this.#served?.drained());
    return false;
  }

  end(chunk?: Buffer | string): void {
    if (chunk && isLargeAnswer(chunk.length)) return this.#endLarge(chunk);
    if (typeof chunk !== 'object' || chunk.length > MAX_SINGLE_WRITE_BYTES)
      return void this.#response.end(chunk);
    // Node writes a string together with the headers in one write; latin1 preserves every byte.
    this.#response.end(chunk.toString('latin1'), 'latin1');
  }

  /** Unread answers must not fill the memory: beyond the bound the connection is closed instead. */
  #endLarge(chunk: Buffer | string): void {
    try {
      this.#lease?.addAnswer(chunk.length);
    } catch {
      return void this.#response.destroy();
    }
    expectReading(this.#response);
    this.#response.end(chunk);
  }

  #authenticated(principal: Principal): void {
    this.#principal = principal;
    const blocked = this.#parts.refusals.blocked(keySubject(principal));
    if (blocked) return this.#refuse(blocked);
    if (!principal.scopes.has('call')) {
      return this.#refuse(new SpillwayError('FORBIDDEN', 'the key lacks the scope call'));
    }
    const announced = announcedBytes(this.#request);
    if (announced !== undefined && announced <= MAX_SMALL_BODY_BYTES)
      return this.#receive(principal, announced);
    void this.#foresee(principal).then((refusal) =>
      refusal ? this.#refuse(refusal) : this.#receive(principal, announced),
    );
  }

  /** A replay, a job and a stale answer are served even if the budget is spent. */
  #foresee(principal: Principal): Promise<SpillwayError | undefined> {
    const { headers } = this.#request;
    const mayBeServed =
      headers['idempotency-key'] !== undefined ||
      headers['x-spillway-degrade'] !== undefined ||
      prefersAsync(headers);
    if (mayBeServed) return Promise.resolve(undefined);
    const isFree = chargeOf(this.#route.operation) === 'nothing';
    return this.#parts.foreseeRefusal(principal, isFree);
  }

  #receive(principal: Principal, announced: number | undefined): void {
    const { quota, intake, bodyLimitBytes, routeBodyLimitBytes } = this.#parts;
    const limitBytes = routeBodyLimitBytes[this.#route.endpoint] ?? bodyLimitBytes;
    try {
      this.#lease = quota.admit(principal, announced && Math.min(announced, limitBytes));
    } catch (refusal) {
      return this.#refuse(refusal);
    }
    this.#response.on('close', () => this.#closed());
    const terms = { limitBytes, lease: this.#lease };
    readBody(
      this.#request,
      terms,
      intake,
      (body) => this.#serve(principal, body),
      (error) => this.#refuse(error),
    );
  }

  /** The last byte was sent, or the caller has disconnected. */
  #closed(): void {
    this.#isClosed = true;
    this.#lease?.release();
    this.#served?.gone();
    this.#span?.set({ 'http.response.status_code': this.#response.statusCode });
    this.#span?.end(this.#failure);
  }

  #serve(principal: Principal, body: Buffer): void {
    if (this.#isClosed) return;
    const { headers } = this.#request;
    const { tracer } = this.#parts.serve;
    if (tracer) this.#trace(tracer, principal);
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
    // The origin of a forwarded request keeps its idempotency key, stale answers and queueing, and it is not forwarded again.
    const serve = this.#forwarded ? serveRequest : serveCall;
    try {
      this.#forwarded?.checkBody(body);
      this.#served = serve(this.#parts.serve, request, this, (failure) => this.#fail(failure));
    } catch (thrown) {
      this.#refuse(thrown);
    }
  }

  /** The span's own `traceparent` replaces the caller's: calls, jobs and forwarded requests continue the trace. */
  #trace(tracer: Tracer, principal: Principal): void {
    const { headers } = this.#request;
    const { clock } = this.#parts;
    const terms = { requestId: this.#id, startedAtMs: this.#startedAtMs, clock };
    this.#span = startCallSpan(tracer, this.#route, headers, principal, terms);
    headers['traceparent'] = this.#span.traceParent;
  }

  /** For a request that has not reached the flow. */
  #refuse(thrown: unknown): void {
    this.#fail({ error: toSpillwayError(thrown), isBegun: false, wasCalled: false });
  }

  #fail(failed: FailedRequest): void {
    const { error, isBegun, hasRetried, beforeSend } = failed;
    this.#failure = error.code;
    if (!isBegun) this.#addServedHeaders(failed);
    this.#parts.replyError({
      error,
      format: this.#route.format,
      requestId: this.#id,
      request: this.#request,
      response: this.#response,
      principal: this.#principal,
      isBegun,
      hasRetried,
      isRefusal: failed.isLogged !== true,
      isCounted: !failed.wasCalled,
      ending: this.#ending(),
      begunResponse: this.#begunResponse,
      beforeSend,
    });
  }

  #ending(): StreamEnding {
    if (this.#route.operation === 'responses') return 'response_event';
    if (!isArrayStream(this.#route)) return 'event';
    return this.#hasWritten ? 'next_element' : 'only_element';
  }

  /** Adds the headers that a successful response also has: server, attempts, standings of the limits. */
  #addServedHeaders({ attempts = 0, standings = [] }: FailedRequest): void {
    const { clock, serve } = this.#parts;
    const headers = servedHeaders(serve.serverId, attempts);
    addStandings(headers, standings, clock.now());
    for (const [name, value] of headerPairs(headers)) this.#response.setHeader(name, value);
  }
}
