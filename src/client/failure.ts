// Reads a failure from anything that Spillway answers: its own error shape, the shapes of Anthropic, OpenAI and Gemini, events
// of a stream, a build event, a job, and `/api/chat`. Answers of other servers on the way (a proxy's page, the application's
// own 404) are classified by their status, and their text is never shown: it may be a provider's.

import type { ErrorCode, ErrorParams, SuggestedAction } from '../errors/codes.ts';
import { now } from './browser-clock.ts';

export type { ErrorCode, ErrorParams, SuggestedAction };

/** A failure for the page: the code, a sentence in the user's language, the time of a retry, and what to offer. */
export type Failure = {
  readonly code: ErrorCode;
  /** One sentence for the user, in the user's language. */
  readonly message: string;
  readonly params: ErrorParams;
  /** Whether an identical request can succeed without a change of anything but time. */
  readonly retryable: boolean;
  /** Whether a program may repeat the request by itself; false where a person should decide. */
  readonly autoRetry: boolean;
  /** When a repeat can succeed, in epoch milliseconds of this device's clock; absent when unknown. */
  readonly retryAt?: number | undefined;
  readonly suggestedActions: readonly SuggestedAction[];
  /** Whether the request can be sent again with `queue: true`. */
  readonly queueAvailable: boolean;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** The failure cut a stream after content. */
  readonly partial: boolean;
};

/** The facts about a failure besides its body. */
export type FailureContext = {
  readonly status?: number | undefined;
  readonly headers?: Pick<Headers, 'get'> | undefined;
  /** This device's time from which a delay counts; now by default. */
  readonly since?: number;
  /** The server's clock minus this device's, in milliseconds. */
  readonly skewMs?: number;
  /** The sentence for a failure that carries none. */
  readonly sentence?: ((code: ErrorCode) => string) | undefined;
};

/**
 * Status and default retryability of every code; a test keeps it equal to the table of `spillway/errors`. A status without a
 * code means the first code of that status.
 */
export const CODES: Readonly<Record<ErrorCode, readonly [status: number, retryable?: 1]>> = {
  INTERNAL: [500],
  INVALID_REQUEST: [400],
  RATE_LIMITED: [429, 1],
  PROVIDER_UNAVAILABLE: [503, 1],
  NETWORK_TIMEOUT: [504, 1],
  AI_LIMIT_REACHED: [429],
  AUTH_FAILED: [502],
  BUDGET_EXCEEDED: [402],
  CONTENT_POLICY: [400],
  CONTEXT_TOO_LONG: [400],
  REQUEST_TOO_LARGE: [413],
  UNAUTHORIZED: [401],
  FORBIDDEN: [403],
  NOT_FOUND: [404],
  CONFLICT: [409, 1],
  UNPROCESSABLE: [422],
  CAPACITY_EXHAUSTED: [503, 1],
  LOOP_DETECTED: [508],
};

/** The failure in `value`; undefined for a value without a failure. */
export function findFailure(value: unknown, context: FailureContext = {}): Failure | undefined {
  const found = findError(parseJson(value));
  return found && toFailure(found, context);
}

/** As `findFailure`, for a value that is known to be a failure. */
export function readFailure(value: unknown, context?: FailureContext): Failure {
  return findFailure(value, context) ?? toFailure({}, context ?? {});
}

/** The failure of a request that got no answer. */
export function connectionLost(context: FailureContext = {}): Failure {
  return readFailure({ code: 'NETWORK_TIMEOUT', params: { phase: 'lost' } }, context);
}

/** The server's clock minus this device's, by the `date` header; 0 without one. */
export function clockSkew(headers: Pick<Headers, 'get'>): number {
  const skewMs = Date.parse(headers.get('date') ?? '') - now();
  // The header has whole seconds, so a smaller difference is not significant.
  return Math.abs(skewMs) > 2000 ? skewMs : 0;
}

type Fields = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** Parses a string that is JSON; any other value is returned as it is. */
export function parseJson(value: unknown): unknown {
  try {
    return typeof value === 'string' ? JSON.parse(value) : value;
  } catch {
    return value;
  }
}

/** All fields of an error in one record: the error's own, and its neighbours. */
function findError(value: unknown): Fields | undefined {
  // Gemini's streams without SSE are one array with the error as its last element.
  const holder = Array.isArray(value) ? value.at(-1) : value;
  if (!isRecord(holder)) return undefined;
  if (holder['type'] === 'response.failed') return findError(holder['response']);
  const { error } = holder;
  if (isRecord(error)) return { ...holder, ...error, ...metadataOf(error) };
  // Earlier versions of `/api/chat` answered a bare string, which may be a provider's text.
  if (typeof error === 'string' || holder['success'] === false) return {};
  return isCode(holder['code']) ? holder : undefined;
}

const ADVICE =
  /^(retryable|retryAfter|requestId|suggestedActions|queueAvailable|blockReason|partial)$/;

/** Gemini's ErrorInfo has the fields as strings, parameters among them. */
function metadataOf({ details }: Fields): Fields {
  const info = Array.isArray(details) ? details.find((detail) => isRecord(detail?.metadata)) : 0;
  if (!info) return {};
  const fields: Record<string, unknown> = {};
  const params: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(info.metadata)) {
    fields[name] = /^[\d.]+$/.test(String(text)) ? Number(text) : text;
    if (!ADVICE.test(name)) params[name] = fields[name];
  }
  return { ...fields, code: info.reason, params };
}

function toFailure(fields: Fields, context: FailureContext): Failure {
  const { status, headers } = context;
  const own = [fields['spillway_code'], fields['code']].find(isCode);
  const stated = own ?? headers?.get('x-spillway-code');
  const code = isCode(stated) ? stated : codeOfStatus(status ?? 500);
  const retryable = flag(fields['retryable']) ?? CODES[code].length > 1;
  const partial = flag(fields['partial']) ?? false;
  const requestId = fields['requestId'] ?? headers?.get('x-request-id');
  return {
    code,
    message: (own && sentenceIn(fields)) ?? context.sentence?.(code) ?? defaultSentence(code),
    params: isRecord(fields['params']) ? fields['params'] : {},
    retryable,
    autoRetry: flag(headers?.get('x-should-retry')) ?? (retryable && !partial),
    retryAt: retryTime(fields, context),
    suggestedActions: actionsOf(fields['suggestedActions']),
    queueAvailable: flag(fields['queueAvailable']) ?? false,
    status,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    partial,
  };
}

function isCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(CODES, value);
}

/**
 * Any other 4xx status is the request's fault, any other 5xx status the server's. A proxy's 502 means that the server
 * behind it is unavailable.
 */
function codeOfStatus(status: number): ErrorCode {
  const wanted = status === 502 ? 503 : status;
  const found = Object.entries(CODES).find(([, [known]]) => known === wanted);
  return (found?.[0] ??
    (status >= 400 && status < 500 ? 'INVALID_REQUEST' : 'INTERNAL')) as ErrorCode;
}

/** A sealed error may end in markers for SDKs, which are not for people. */
function sentenceIn({ message }: Fields): string | undefined {
  return typeof message === 'string' ? message.replace(/( \[[A-Z]?[a-z ]+\])+$/, '') : undefined;
}

function defaultSentence(code: ErrorCode): string {
  return code === 'NETWORK_TIMEOUT'
    ? 'The connection was lost. Please try again.'
    : 'Something went wrong. Please try again later.';
}

function retryTime(fields: Fields, context: FailureContext): number | undefined {
  const { headers, since = now(), skewMs = headers ? clockSkew(headers) : 0 } = context;
  const params = isRecord(fields['params']) ? fields['params'] : {};
  const stated = headers?.get('retry-after');
  const delayMs =
    number(headers?.get('retry-after-ms')) ?? number(fields['retryAfterMs']) ?? toMs(stated);
  if (delayMs !== undefined) return since + delayMs;
  // Date.parse would take a negative number as a year; an HTTP date ends in GMT.
  const date = stated?.endsWith('GMT') ? Date.parse(stated) : undefined;
  const instant = number(date) ?? number(params['resetTime']);
  if (instant !== undefined) return instant - skewMs;
  const otherMs = number(params['retryAfterMs']) ?? toMs(fields['retryAfter']);
  return otherMs === undefined ? undefined : since + otherMs;
}

function toMs(seconds: unknown): number | undefined {
  const read = number(seconds);
  return read === undefined ? undefined : read * 1000;
}

/** A finite number of zero or more, also as text. */
export function number(value: unknown): number | undefined {
  const read = Number.parseFloat(String(value));
  return read >= 0 && read < Infinity ? read : undefined;
}

function flag(value: unknown): boolean | undefined {
  const text = String(value);
  return text === 'true' || (text === 'false' ? false : undefined);
}

function actionsOf(value: unknown): readonly SuggestedAction[] {
  const names = typeof value === 'string' ? value.split(',') : value;
  return Array.isArray(names) ? names : [];
}
