// Renders a public answer in the caller's wire format, so that each provider's official SDK raises its own
// error class with the Spillway code inside. Bodies are for unary answers, events for streams that have
// begun; an error event is never followed by the format's clean end.

import type { ErrorCode } from './codes.ts';
import { geminiBody } from './gemini-shape.ts';
import { markedMessage, markerOf } from './markers.ts';
import { advice, openaiBody } from './openai-shape.ts';
import type { PublicAnswer } from './public-answer.ts';

/** The formats of answers: Spillway's own and the vendors'. */
export type WireFormat = 'spillway' | 'anthropic' | 'openai' | 'gemini';

/** The options of `errorEvent`. */
export type EventOptions = {
  /** Content had already reached the caller when the stream was cut. */
  readonly partial?: boolean;
};

/** The JSON body of an answer in a format, as that vendor's SDK expects it. */
export function errorBody(format: WireFormat, answer: PublicAnswer): Record<string, unknown> {
  return SHAPES[format](answer, {});
}

/** The HTTP status in this format; it differs from the code's own where the vendor's clients expect another. */
export function wireStatus(format: WireFormat, answer: PublicAnswer): number {
  if (format === 'spillway') return answer.status;
  return markerOf(format, answer).status ?? answer.status;
}

/** The event that ends a stream after a failure, as text. */
export function errorEvent(
  format: WireFormat,
  answer: PublicAnswer,
  options: EventOptions = {},
): string {
  const data = JSON.stringify(SHAPES[format](answer, options.partial === true ? PARTIAL : {}));
  return HAS_NAMED_EVENTS[format] ? `event: error\ndata: ${data}\n\n` : `data: ${data}\n\n`;
}

/**
 * The form of a failure in a stream that has begun: an SSE event, a Responses API event (typed and named), or
 * the last element of a JSON array.
 */
export type StreamEnding = 'event' | 'response_event' | 'next_element' | 'only_element';

/** The response that a Responses API stream has announced, in the names of that API. */
export type BegunResponse = {
  readonly id: string;
  readonly created_at?: number | undefined;
  readonly model?: string | undefined;
};

export function errorEnding(
  ending: StreamEnding,
  format: WireFormat,
  answer: PublicAnswer,
  begun?: BegunResponse,
): string {
  if (ending === 'event') return errorEvent(format, answer, PARTIAL);
  if (ending === 'response_event') return responseEvents(answer, begun);
  const element = JSON.stringify(SHAPES[format](answer, PARTIAL));
  return `${ending === 'only_element' ? '[' : ',\r\n'}${element}]`;
}

/**
 * The Responses API reports a failure as `error`, which SDKs raise, and then as `response.failed`, which Codex acts on: Codex takes
 * a stream without the latter for a lost connection. The documented fields of `error` are in the event itself; SDKs also
 * look for them in an `error` object.
 */
function responseEvents(answer: PublicAnswer, begun: BegunResponse | undefined): string {
  const { error } = openaiBody(answer, PARTIAL);
  const { code, message, param } = error;
  const raised = { type: 'error', sequence_number: 0, code, message, param, error };
  if (!begun) return namedEvent(raised);
  const response = {
    ...begun,
    object: 'response',
    status: 'failed',
    error: { code, message },
    output: [],
  };
  const failed = { type: 'response.failed', sequence_number: 1, response };
  return namedEvent(raised) + namedEvent(failed);
}

function namedEvent(event: { readonly type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

type Extra = { readonly partial?: true };

const PARTIAL: Extra = { partial: true };

const HAS_NAMED_EVENTS = {
  spillway: true,
  anthropic: true,
  openai: false,
  gemini: false,
} as const satisfies Record<WireFormat, boolean>;

const SHAPES = {
  spillway: spillwayBody,
  anthropic: anthropicBody,
  openai: openaiBody,
  gemini: geminiBody,
} as const satisfies Record<WireFormat, (answer: PublicAnswer, extra: Extra) => object>;

function spillwayBody(answer: PublicAnswer, extra: Extra): Record<string, unknown> {
  const { error } = answer;
  return { error: { ...error, spillway_code: error.code, ...extra }, ...advice(answer) };
}

function anthropicBody(answer: PublicAnswer, extra: Extra): Record<string, unknown> {
  const marker = markerOf('anthropic', answer);
  const { code, message } = answer.error;
  const type = marker.type ?? ANTHROPIC_TYPES[code] ?? anthropicTypeOf(answer);
  const ownFields = { message: markedMessage(marker, message), spillway_code: code };
  const error = { type, ...answer.error, ...ownFields, ...advice(answer), ...extra };
  return { type: 'error', error, request_id: answer.error.requestId };
}

// AUTH_FAILED is not an authentication_error: it concerns Spillway's credential at the provider, not the
// caller's key.
const ANTHROPIC_TYPES: Partial<Record<ErrorCode, string>> = {
  AI_LIMIT_REACHED: 'rate_limit_error',
  RATE_LIMITED: 'rate_limit_error',
  NETWORK_TIMEOUT: 'timeout_error',
  BUDGET_EXCEEDED: 'billing_error',
  CONTENT_POLICY: 'invalid_request_error',
  INVALID_REQUEST: 'invalid_request_error',
  CONTEXT_TOO_LONG: 'invalid_request_error',
  REQUEST_TOO_LARGE: 'request_too_large',
  UNAUTHORIZED: 'authentication_error',
  FORBIDDEN: 'permission_error',
  NOT_FOUND: 'not_found_error',
  CONFLICT: 'invalid_request_error',
  UNPROCESSABLE: 'invalid_request_error',
  CAPACITY_EXHAUSTED: 'overloaded_error',
};

function anthropicTypeOf(answer: PublicAnswer): string {
  return answer.error.params.reason === 'overloaded' ? 'overloaded_error' : 'api_error';
}
