// A public answer in OpenAI's error shape, for Chat Completions, Responses and Embeddings.

import type { ErrorCode } from './codes.ts';
import { markedMessage, markerOf } from './markers.ts';
import type { PublicAnswer } from './public-answer.ts';

export type OpenAiBody = { readonly error: Record<string, unknown> };

export function openaiBody(answer: PublicAnswer, extra: { readonly partial?: true }): OpenAiBody {
  const marker = markerOf('openai', answer);
  const { message, code, ...fields } = answer.error;
  return {
    error: {
      message: markedMessage(marker, message),
      type: marker.type ?? OPENAI_TYPES[code] ?? 'server_error',
      param: answer.error.params.field ?? null,
      code: marker.code ?? code,
      spillway_code: code,
      ...resetFields(answer),
      ...fields,
      ...advice(answer),
      ...extra,
    },
  };
}

/** Codex reads the end of a usage limit from these fields, in seconds. */
function resetFields({ error, retryAfter }: PublicAnswer): Record<string, number> {
  const { resetTime } = error.params;
  if (error.code !== 'AI_LIMIT_REACHED' || resetTime === undefined) return {};
  return { resets_at: Math.ceil(resetTime / 1_000), resets_in_seconds: retryAfter ?? 0 };
}

/** The fields of an answer besides its error. */
export function advice(answer: PublicAnswer): Omit<PublicAnswer, 'status' | 'headers' | 'error'> {
  const { status: _status, headers: _headers, error: _error, ...rest } = answer;
  return rest;
}

const OPENAI_TYPES: Partial<Record<ErrorCode, string>> = {
  AI_LIMIT_REACHED: 'rate_limit_error',
  RATE_LIMITED: 'rate_limit_error',
  BUDGET_EXCEEDED: 'insufficient_quota',
  CONTENT_POLICY: 'invalid_request_error',
  INVALID_REQUEST: 'invalid_request_error',
  CONTEXT_TOO_LONG: 'invalid_request_error',
  REQUEST_TOO_LARGE: 'invalid_request_error',
  UNAUTHORIZED: 'authentication_error',
  FORBIDDEN: 'permission_error',
  NOT_FOUND: 'not_found_error',
  CONFLICT: 'conflict_error',
  UNPROCESSABLE: 'invalid_request_error',
};
