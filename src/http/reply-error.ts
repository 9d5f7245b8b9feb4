// Converts every failure into an HTTP response: status, headers and body from the public answer, in the caller's wire
// format. A stream that has begun gets the error event of its format instead, and no clean end. Internal details go to
// the log and never to the caller.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../admission/principal.ts';
import { type StoredAnswer, toStoredAnswer } from '../admission/stored-answer.ts';
import type { ErrorCode } from '../errors/codes.ts';
import { pickLocale, pickTimeZone } from '../errors/locale.ts';
import {
  type AnswerContext,
  type PublicAnswer,
  type PublicError,
  toPublicAnswer,
} from '../errors/public-answer.ts';
import { readRawFailure } from '../errors/raw-failure.ts';
import type { Redact } from '../errors/redact.ts';
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
import { readLabel } from '../flow/serve/native-request.ts';
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
  /** A model call failed; the body has `success: false` beside the error. */
  readonly hasSuccessField?: boolean | undefined;
  /** Gets the response before it is sent; sending waits for it. Never rejects. */
  readonly beforeSend?: BeforeSend | undefined;
};

export type BeforeSend = (answer: StoredAnswer | undefined) => Promise<void>;

export type ErrorReplier = (reply: ErrorReply) => void;

export type ErrorReplierOptions = {
  /** The request records for operators. */
  readonly failures?: FailureRecorder;
  /** Whether the call could be submitted as a job instead. */
  readonly canQueue?: () => boolean;
  readonly refusals?: RefusalLimit | undefined;
  /** Called for every request that is refused before a call, for metrics. */
  readonly onRefused?: (code: ErrorCode) => void;
};

export function createErrorReplier(
  clock: Clock,
  log: Log,
  { failures, canQueue = () => false, refusals, onRefused }: ErrorReplierOptions = {},
): ErrorReplier {
  return (refused) => {
    const throttled = refusals && countRefusal(refusals, refused);
    const reply = throttled ? throttledReply(refused, throttled) : refused;
    if (refused.isRefusal) onRefused?.(reply.error.code);
    if (reply.error.code === 'INTERNAL') logInternal(log, reply);
    else if (reply.isRefusal) logRefusal(log, reply, failures);
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
      ...(isOfCall(reply) ? callContext(reply, canQueue) : {}),
      diagnostics: diagnosticsFor(reply, failures),
    });
    if (failures) recordAnswer(failures, reply, answer.error);
    if (!reply.beforeSend) return send(clock, reply, answer);
    void reply.beforeSend(storedOf(reply, answer)).then(() => send(clock, reply, answer));
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

function isOfCall({ format, hasSuccessField }: ErrorReply): boolean {
  return format !== 'spillway' || hasSuccessField === true;
}

function bodyOf({ format, hasSuccessField }: ErrorReply, answer: PublicAnswer): string {
  const body = errorBody(format, answer);
  return JSON.stringify(hasSuccessField ? { success: false, ...body } : body);
}

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
  const body = bodyOf(reply, answer);
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
 * would complete the answer. The connection is broken after the error, once the client has had time to read it.
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
function storedOf(reply: ErrorReply, answer: PublicAnswer): StoredAnswer | undefined {
  const { isBegun, format, request, response } = reply;
  if (isBegun) return undefined;
  const { diagnostics: _diagnostics, ...error } = answer.error;
  const body = Buffer.from(bodyOf(reply, { ...answer, error }));
  // The response already has the headers about the server and the attempts.
  const headers = { ...response.getHeaders(), ...answer.headers, 'content-type': CONTENT_TYPE };
  return toStoredAnswer(statusFor(request.headers, format, answer), Object.entries(headers), body);
}

/** The raw failure of the last attempt, on AI endpoints and for keys with diagnostics only. */
function diagnosticsFor(
  reply: ErrorReply,
  failures: FailureRecorder | undefined,
): object | undefined {
  const { error, principal } = reply;
  if (!failures || !isOfCall(reply) || principal?.diagnostics !== true) return undefined;
  const { status, body } = readRawFailure(error.cause, failures.redact) ?? {};
  return { reason: failures.redact(error.message), status, body };
}

/** Only for authenticated callers: anonymous requests could evict the records. */
function recordAnswer(
  failures: FailureRecorder,
  { requestId: id, request, principal, error }: ErrorReply,
  answered: PublicError,
): void {
  if (!principal) return;
  const { organizationId, keyId } = principal;
  const correlationId = readCorrelationId(request.headers);
  const safe = quotingRedact(error.code, failures);
  failures.records.answered(
    { id, correlationId, organizationId, keyId },
    {
      ...answered,
      message: safe(answered.message),
      params: redactTexts(answered.params, safe),
    },
    failures.redact(error.message),
  );
}

/** Bounds the caller's own text in a log line, such as the name of an unknown model. */
const MAX_LOGGED_REASON = 200;

/** Refusals that quote the caller's path, model or field, in which a misplaced key may be. Others are Spillway's own words. */
const QUOTING_CODES: ReadonlySet<string> = new Set(['NOT_FOUND', 'INVALID_REQUEST']);

function logRefusal(
  log: Log,
  { error, requestId, request, principal }: ErrorReply,
  failures: FailureRecorder | undefined,
): void {
  const safe = quotingRedact(error.code, failures);
  const path = request.url?.split('?', 1)[0];
  log.write({
    level: 'warn',
    type: 'request',
    message: safe(error.message).slice(0, MAX_LOGGED_REASON),
    requestId,
    metadata: {
      code: error.code,
      method: request.method,
      path: path && safe(path).slice(0, MAX_LOGGED_REASON),
      organizationId: principal?.organizationId,
      keyId: principal?.keyId,
      userId: principal && readLabel(request.headers['x-user-id']),
      ...redactTexts(safeParams(error.code, error.params), safe),
    },
  });
}

function quotingRedact(code: string, failures: FailureRecorder | undefined): Redact {
  return failures && QUOTING_CODES.has(code) ? failures.redact : (text) => text;
}

function redactTexts(fields: object, redact: Redact): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? redact(value) : value,
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
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
