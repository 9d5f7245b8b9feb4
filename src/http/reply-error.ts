// Converts every failure into an HTTP response: status, headers and body from the public answer, in the caller's wire
// format. A stream that has begun gets the error event of its format instead, and no clean end. Internal details go to
// the log and never to the caller.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeptAnswer } from '../admission/idempotency-store.ts';
import { toKeptAnswer } from '../admission/kept-answer.ts';
import type { Principal } from '../admission/principal.ts';
import type { ErrorCode } from '../errors/codes.ts';
import { pickLocale, pickTimeZone } from '../errors/locale.ts';
import {
  type AnswerContext,
  type PublicAnswer,
  type PublicError,
  toPublicAnswer,
} from '../errors/public-answer.ts';
import { readRawFailure } from '../errors/raw-failure.ts';
import { safeParams } from '../errors/safe-params.ts';
import type { SpillwayError } from '../errors/spillway-error.ts';
import {
  type BegunResponse,
  errorBody,
  errorEnding,
  type StreamEnding,
  type WireFormat,
} from '../errors/wire-shape.ts';
import type { FailureRecorder } from '../flow/call/call-order.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { knowsOverload, sleepsOnRetryAfter, statusFor } from './client-habits.ts';
import { readCorrelationId } from './correlation-id.ts';
import { hasCredential } from './credential.ts';
import { type RefusalLimit, refusalSubject } from './refusal-limit.ts';

export type ErrorReply = {
  readonly error: SpillwayError;
  readonly format: WireFormat;
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal | undefined;
  /** The status line was sent: only a stream event can carry the error. */
  readonly isBegun: boolean;
  /** The gateway has used up its own retries for this request. */
  readonly hasRetried?: boolean | undefined;
  /** No call was made: the request is logged here, because nothing else logs it. */
  readonly isRefusal?: boolean;
  /** A mistake in it counts against the refusal limit: no provider was called, and no operator asked. */
  readonly isCounted?: boolean;
  /** The form of the error in a stream, if it is not an event. */
  readonly ending?: StreamEnding;
  /** The response that a Responses API stream has announced. */
  readonly begunResponse?: BegunResponse | undefined;
  /** Gets the response before it is sent; sending waits for it. Never rejects. */
  readonly beforeSend?: BeforeSend | undefined;
};

export type BeforeSend = (answer: KeptAnswer | undefined) => Promise<void>;

export type ErrorReplier = (reply: ErrorReply) => void;

export type ErrorReplierOptions = {
  /** The request records for operators. */
  readonly failures?: FailureRecorder;
  /** Whether the call could be submitted as a job instead. */
  readonly canQueue?: () => boolean;
  readonly refusals?: RefusalLimit | undefined;
};

export function createErrorReplier(
  clock: Clock,
  log: Log,
  { failures, canQueue = () => false, refusals }: ErrorReplierOptions = {},
): ErrorReplier {
  return (refused) => {
    const throttled = refusals && countRefusal(refusals, refused);
    const reply = throttled ? throttledReply(refused, throttled) : refused;
    if (reply.error.code === 'INTERNAL') logInternal(log, reply);
    else if (reply.isRefusal) logRefusal(log, reply);
    const { requestId, request, principal } = reply;
    const answer = toPublicAnswer(reply.error, {
      requestId,
      locale: pickLocale(request.headers['accept-language'], principal?.locale),
      timeZone: pickTimeZone(request.headers['x-time-zone'], principal?.timeZone),
      now: clock.now(),
      overrides: principal?.messages,
      hasRetried: reply.hasRetried,
      sleepsOnRetryAfter: sleepsOnRetryAfter(request.headers),
      knowsOverload: knowsOverload(request.headers),
      ...(reply.format === 'spillway' ? {} : callContext(reply, canQueue)),
      diagnostics: diagnosticsFor(reply, failures),
    });
    if (failures) recordAnswer(failures, reply, answer.error);
    if (!reply.beforeSend) return send(clock, reply, answer);
    void reply.beforeSend(keptOf(reply, answer)).then(() => send(clock, reply, answer));
  };
}

/** Refusals for the caller's own mistakes; the answer under an idempotency key stays as it is. */
function countRefusal(
  refusals: RefusalLimit,
  { error, isCounted, beforeSend, request, principal }: ErrorReply,
): SpillwayError | undefined {
  if (!isCounted || !MISTAKES.has(error.code)) return undefined;
  const throttled = refusals.count(refusalSubject(request, principal));
  return beforeSend ? undefined : throttled;
}

/**
 * A throttled refusal is not logged: the start of the throttling is. A request without a credential stays UNAUTHORIZED: it
 * guesses nothing and costs no lookup, and clients learn from the status that they need a key.
 */
function throttledReply(refused: ErrorReply, throttled: SpillwayError): ErrorReply {
  const isAnonymous =
    refused.error.code === 'UNAUTHORIZED' && !hasCredential(refused.request.headers);
  return { ...refused, error: isAnonymous ? refused.error : throttled, isRefusal: false };
}

const MISTAKES: ReadonlySet<ErrorCode> = new Set([
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'INVALID_REQUEST',
  'REQUEST_TOO_LARGE',
  'UNPROCESSABLE',
]);

/** Applies to refused calls of a model only. */
function callContext(
  { request, principal }: ErrorReply,
  canQueue: () => boolean,
): Pick<AnswerContext, 'queueAvailable' | 'isBackground'> {
  return {
    // Without the scope `jobs` the caller has no queue.
    queueAvailable: principal?.scopes.has('jobs') === true && canQueue(),
    isBackground: request.headers['x-request-type'] === 'background',
  };
}

function send(clock: Clock, reply: ErrorReply, answer: PublicAnswer): void {
  const { response, format, request } = reply;
  if (response.destroyed) return;
  if (reply.isBegun) return endStream(clock, reply, answer);
  const body = JSON.stringify(errorBody(format, answer));
  const correlationId = readCorrelationId(request.headers);
  response.writeHead(statusFor(request.headers, format, answer), {
    'content-type': CONTENT_TYPE,
    'content-length': Buffer.byteLength(body),
    ...answer.headers,
    ...(correlationId === undefined ? {} : { 'x-correlation-id': correlationId }),
    // The rest of an unread body must not be parsed as the next request of this connection.
    ...(request.complete ? {} : { connection: 'close' }),
  });
  response.end(body);
}

/**
 * Gemini's format has no end marker, and older clients skip an element that is an error: to them a clean end of the response
 * would complete the answer. The connection is broken behind the error, once the client has had time to read it.
 */
function endStream(
  clock: Clock,
  { response, format, ending, begunResponse }: ErrorReply,
  answer: PublicAnswer,
): void {
  const last = errorEnding(ending ?? 'event', format, answer, begunResponse);
  if (format !== 'gemini') return void response.end(last);
  response.write(last);
  clock.after(BREAK_AFTER_MS, () => response.destroy());
}

/** A client that finds the break together with the error may discard what it has not read. */
const BREAK_AFTER_MS = 250;

const CONTENT_TYPE = 'application/json; charset=utf-8';

/** Undefined for a broken stream. Diagnostics are never stored. */
function keptOf(
  { isBegun, format, request, response }: ErrorReply,
  answer: PublicAnswer,
): KeptAnswer | undefined {
  if (isBegun) return undefined;
  const { diagnostics: _diagnostics, ...error } = answer.error;
  const body = Buffer.from(JSON.stringify(errorBody(format, { ...answer, error })));
  // The response already has the headers about the server and the attempts.
  const headers = { ...response.getHeaders(), ...answer.headers, 'content-type': CONTENT_TYPE };
  return toKeptAnswer(statusFor(request.headers, format, answer), Object.entries(headers), body);
}

/** The raw failure of the last attempt, on AI endpoints and for keys with diagnostics only. */
function diagnosticsFor(
  { error, format, principal }: ErrorReply,
  failures: FailureRecorder | undefined,
): object | undefined {
  if (!failures || format === 'spillway' || principal?.diagnostics !== true) return undefined;
  const { status, body } = readRawFailure(error.cause, failures.redact) ?? {};
  return { reason: failures.redact(error.message), status, body };
}

/** Only for authenticated callers: anonymous requests could evict the records. */
function recordAnswer(
  { records, redact }: FailureRecorder,
  { requestId: id, request, principal, error }: ErrorReply,
  answered: PublicError,
): void {
  if (!principal) return;
  const { organizationId, keyId } = principal;
  const correlationId = readCorrelationId(request.headers);
  records.answered({ id, correlationId, organizationId, keyId }, answered, redact(error.message));
}

/** Bounds the caller's own text in a log line, such as the name of an unknown model. */
const MAX_LOGGED_REASON = 200;

function logRefusal(log: Log, { error, requestId, request, principal }: ErrorReply): void {
  log.write({
    level: 'warn',
    type: 'request',
    message: error.message.slice(0, MAX_LOGGED_REASON),
    requestId,
    metadata: {
      code: error.code,
      method: request.method,
      path: request.url?.split('?', 1)[0]?.slice(0, MAX_LOGGED_REASON),
      organizationId: principal?.organizationId,
      keyId: principal?.keyId,
      ...safeParams(error.code, error.params),
    },
  });
}

function logInternal(log: Log, { error, requestId }: ErrorReply): void {
  const { cause } = error;
  log.write({
    level: 'error',
    type: 'error',
    message: error.message,
    requestId,
    metadata: { stack: cause instanceof Error ? cause.stack : error.stack },
  });
}
