// Renders a public answer as google.rpc.Status. The numeric code and status name make Google's SDK raise its
// ApiError; ErrorInfo carries the Spillway code and fields (as strings, because its metadata allows no other
// type); RetryInfo carries the wait, where Google's clients look for it.

import type { ErrorCode } from './codes.ts';
import { markedMessage, markerOf } from './markers.ts';
import type { PublicAnswer } from './public-answer.ts';

export function geminiBody(
  answer: PublicAnswer,
  extra: { readonly partial?: true },
): Record<string, unknown> {
  const marker = markerOf('gemini', answer);
  const { code, message } = answer.error;
  const details = [
    errorInfo(answer, extra),
    ...quotaFailure(answer),
    ...retryInfo(answer),
    ...debugInfo(answer),
  ];
  return {
    error: {
      code: marker.status ?? answer.status,
      message: markedMessage(marker, message),
      status: marker.grpcStatus ?? GRPC_STATUS[code],
      details,
      spillway_code: code,
    },
  };
}

const TYPE_PREFIX = 'type.googleapis.com/google.rpc.';

function errorInfo(answer: PublicAnswer, extra: { readonly partial?: true }): object {
  const { code, params, retryable, retryAfterMs, requestId } = answer.error;
  const { retryAfter, suggestedActions, queueAvailable } = answer;
  const metadata = strings({
    ...params,
    retryable,
    retryAfterMs,
    requestId,
    retryAfter,
    suggestedActions: suggestedActions?.join(','),
    queueAvailable,
    // What `promptFeedback` of a blocked prompt would say.
    blockReason: code === 'CONTENT_POLICY' ? 'PROHIBITED_CONTENT' : undefined,
    ...extra,
  });
  return { '@type': `${TYPE_PREFIX}ErrorInfo`, reason: code, domain: 'spillway', metadata };
}

/** Gemini CLI stops with a sentence at a quota per day and sleeps at any other. */
function quotaFailure({ error }: PublicAnswer): object[] {
  if (error.code !== 'AI_LIMIT_REACHED') return [];
  const violation = { quotaMetric: 'ai-capacity', quotaId: 'AiCapacityPerDay' };
  return [{ '@type': `${TYPE_PREFIX}QuotaFailure`, violations: [violation] }];
}

/** A short delay beside a usage limit would make clients sleep and retry instead of reporting the limit. */
function retryInfo({ retryAfter, error }: PublicAnswer): object[] {
  if (retryAfter === undefined) return [];
  const seconds = error.retryAfterMs === undefined ? retryAfter : error.retryAfterMs / 1_000;
  if (error.code === 'AI_LIMIT_REACHED' && seconds < MIN_LIMIT_DELAY_SECONDS) return [];
  return [{ '@type': `${TYPE_PREFIX}RetryInfo`, retryDelay: `${seconds}s` }];
}

const MIN_LIMIT_DELAY_SECONDS = 300;

function debugInfo({ error }: PublicAnswer): object[] {
  if (error.diagnostics === undefined) return [];
  return [{ '@type': `${TYPE_PREFIX}DebugInfo`, detail: JSON.stringify(error.diagnostics) }];
}

function strings(fields: Record<string, unknown>): Record<string, string> {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known.map(([name, value]) => [name, String(value)]));
}

const GRPC_STATUS = {
  AI_LIMIT_REACHED: 'RESOURCE_EXHAUSTED',
  RATE_LIMITED: 'RESOURCE_EXHAUSTED',
  PROVIDER_UNAVAILABLE: 'UNAVAILABLE',
  NETWORK_TIMEOUT: 'DEADLINE_EXCEEDED',
  AUTH_FAILED: 'INTERNAL',
  BUDGET_EXCEEDED: 'RESOURCE_EXHAUSTED',
  CONTENT_POLICY: 'INVALID_ARGUMENT',
  INVALID_REQUEST: 'INVALID_ARGUMENT',
  CONTEXT_TOO_LONG: 'INVALID_ARGUMENT',
  REQUEST_TOO_LARGE: 'INVALID_ARGUMENT',
  UNAUTHORIZED: 'UNAUTHENTICATED',
  FORBIDDEN: 'PERMISSION_DENIED',
  NOT_FOUND: 'NOT_FOUND',
  CONFLICT: 'ABORTED',
  UNPROCESSABLE: 'FAILED_PRECONDITION',
  CAPACITY_EXHAUSTED: 'UNAVAILABLE',
  LOOP_DETECTED: 'INTERNAL',
  INTERNAL: 'INTERNAL',
} as const satisfies Record<ErrorCode, string>;
