// The only conversion from an internal failure to the public answer: status, headers and fields, each built
// from an allow-list. The error's message, cause and stack are not read here. wire-shape.ts renders the
// answer in the providers' formats.

import {
  ERROR_TABLE,
  type ErrorCode,
  type ErrorParams,
  type ErrorRow,
  type RequestProblem,
  type SuggestedAction,
} from './codes.ts';
import { renderError } from './render-error.ts';
import { isInstant, UNSTATED_LIMIT_MS } from './reset-timing.ts';
import { isDuration, safeParams } from './safe-params.ts';
import type { SpillwayError } from './spillway-error.ts';

/** The request that an answer belongs to: id, language, time zone, time. */
export type AnswerContext = {
  readonly requestId: string;
  readonly locale: string;
  readonly timeZone: string;
  readonly now: number;
  /** The organisation's own messages, see `renderError`. */
  readonly overrides?: Readonly<Record<string, string>>;
  readonly queueAvailable?: boolean;
  readonly isBackground?: boolean;
  /** The gateway has used up its own retries for this request: a client that retries as well would multiply them. */
  readonly hasRetried?: boolean | undefined;
  /** The client sleeps for all of `retry-after` and shows its user nothing, even where the answer forbids a retry. */
  readonly sleepsOnRetryAfter?: boolean | undefined;
  /** The client acts on its vendor's status and code for an overload. */
  readonly knowsOverload?: boolean | undefined;
  /** The raw failure. Set only for a key that was created with `diagnostics: true`. */
  readonly diagnostics?: unknown;
};

/** The error object of an answer. */
export type PublicError = {
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly requestId: string;
  readonly diagnostics?: unknown;
};

/** Status, headers and fields of an answer, each from an allow-list. */
export type PublicAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly error: PublicError;
  readonly retryAfter?: number;
  readonly suggestedActions?: readonly SuggestedAction[];
  readonly queueAvailable?: boolean;
  /** The client gets its vendor's status and code for an overload: see markers.ts. */
  readonly knowsOverload?: boolean;
};

/** Converts an error to the public answer; the error's message, cause and stack are not read. */
export function toPublicAnswer(error: SpillwayError, context: AnswerContext): PublicAnswer {
  const { code, retryable } = error;
  const row: ErrorRow = ERROR_TABLE[code];
  const wait = knownWait(error, context.now);
  const params = completeParams(code, error.params, wait);
  // Any other refusal without a stated delay advises none: clients have a backoff of their own, and an invented delay would
  // make them sleep for it.
  const advisedMs = wait.ms ?? (code === 'AI_LIMIT_REACHED' ? UNSTATED_LIMIT_MS : undefined);
  const isRetryAllowed = mayRetry(error, advisedMs, context);
  return {
    ...(context.knowsOverload ? { knowsOverload: true } : {}),
    status: (params.problem && PROBLEM_STATUS[params.problem]) ?? row.status,
    headers: {
      'x-request-id': context.requestId,
      'request-id': context.requestId,
      'x-spillway-code': code,
      ...retryHeaders(row.status, advisedMs, isRetryAllowed || !context.sleepsOnRetryAfter),
      ...capacityHeaders(code, params, wait.resetAt),
      ...(params.problem === 'unsupported_encoding' ? ACCEPTED_ENCODINGS : {}),
      ...(isRetryAllowed ? {} : { 'x-should-retry': 'false' }),
    },
    error: {
      code,
      params,
      message: renderError(code, params, { ...context, background: context.isBackground === true }),
      retryable,
      ...(wait.ms === undefined ? {} : { retryAfterMs: wait.ms }),
      requestId: context.requestId,
      ...(context.diagnostics === undefined ? {} : { diagnostics: context.diagnostics }),
    },
    ...(advisedMs === undefined ? {} : { retryAfter: toSeconds(advisedMs) }),
    ...nextSteps(row.actions, context.queueAvailable),
  };
}

// HTTP has its own status for these mistakes.
const PROBLEM_STATUS: Partial<Record<RequestProblem, number>> = {
  wrong_method: 405,
  unsupported_encoding: 415,
  no_websocket: 426,
};

// RFC 9110, section 12.5.3: the codings that the next request may use.
const ACCEPTED_ENCODINGS = { 'accept-encoding': 'gzip, deflate, br, zstd' };

// SDKs sleep for as long as Retry-After says. Above this bound the answer forbids a retry, so that a person sees the
// message instead of a hanging program.
const MAX_SDK_WAIT_MS = 60_000;
// A direct connection to a failing provider fails within seconds; so must one through an open circuit.
const MAX_CIRCUIT_WAIT_MS = 10_000;

/** Whether a client should retry automatically. */
function mayRetry(
  { retryable, isBrokenOff, params }: SpillwayError,
  advisedMs: number | undefined,
  { hasRetried }: AnswerContext,
): boolean {
  const isCircuit = params.reason === 'circuit_open';
  const maxMs = isCircuit ? MAX_CIRCUIT_WAIT_MS : MAX_SDK_WAIT_MS;
  return retryable && !isBrokenOff && hasRetried !== true && (advisedMs ?? 0) <= maxMs;
}

const CARRIES_RETRY_AFTER: ReadonlySet<number> = new Set([429, 503]);

type Wait = { readonly ms?: number; readonly resetAt?: number };

/** Derives the delay from the reset time, or the reset time from the delay. */
function knownWait(error: SpillwayError, now: number): Wait {
  const resetAt = [error.resetAt, error.params.resetTime].find(isInstant);
  const ms = [error.retryAfterMs, error.params.retryAfterMs].find(isDuration);
  if (ms !== undefined) return { ms: Math.ceil(ms), resetAt: resetAt ?? now + Math.ceil(ms) };
  if (resetAt === undefined) return {};
  return { ms: Math.max(0, Math.ceil(resetAt - now)), resetAt };
}

function completeParams(code: ErrorCode, raw: ErrorParams, wait: Wait): ErrorParams {
  return safeParams(code, { resetTime: wait.resetAt, retryAfterMs: wait.ms, ...raw });
}

function retryHeaders(
  status: number,
  advisedMs: number | undefined,
  statesSeconds: boolean,
): Record<string, string> {
  if (advisedMs === undefined || !CARRIES_RETRY_AFTER.has(status)) return {};
  const milliseconds = { 'retry-after-ms': String(advisedMs) };
  if (!statesSeconds) return milliseconds;
  return { 'retry-after': String(toSeconds(advisedMs)), ...milliseconds };
}

function capacityHeaders(
  code: ErrorCode,
  params: ErrorParams,
  resetAt: number | undefined,
): Record<string, string> {
  if (!isCapacityRefusal(code, params)) return {};
  const type = { 'x-rate-limit-type': 'ai-capacity' };
  if (resetAt === undefined) return type;
  return { ...type, 'x-rate-limit-reset': String(Math.ceil(resetAt)) };
}

function isCapacityRefusal(code: ErrorCode, params: ErrorParams): boolean {
  if (code === 'RATE_LIMITED') return params.scope !== 'organization';
  if (code === 'PROVIDER_UNAVAILABLE') return params.reason === 'circuit_open';
  return code === 'AI_LIMIT_REACHED';
}

function nextSteps(
  actions: readonly SuggestedAction[],
  queueAvailable: boolean | undefined,
): Pick<PublicAnswer, 'suggestedActions' | 'queueAvailable'> {
  const possible = actions.filter((action) => action !== 'queue' || queueAvailable === true);
  return {
    ...(possible.length === 0 ? {} : { suggestedActions: possible }),
    ...(queueAvailable !== undefined && actions.includes('queue') ? { queueAvailable } : {}),
  };
}

function toSeconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}
