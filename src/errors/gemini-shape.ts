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

/**
 * Gemini CLI stops at a usage limit in two ways: at a `quotaId` per day with a fixed sentence that names no time, and
 * at a delay of more than 300 s with the sentence of the error and the time of the delay. At any other limit it sleeps.
 */
function quotaFailure(answer: PublicAnswer): object[] {
  if (answer.error.code !== 'AI_LIMIT_REACHED') return [];
  const quotaId = delayOf(answer) > MAX_SLEEP_SECONDS ? 'AiCapacity' : QUOTA_PER_DAY;
  const violation = { quotaMetric: QUOTA_PER_DAY, quotaId };
  return [{ '@type': `${TYPE_PREFIX}QuotaFailure`, violations: [violation] }];
}

/** A short delay beside a usage limit would make clients sleep and retry instead of reporting the limit. */
function retryInfo(answer: PublicAnswer): object[] {
  const seconds = delayOf(answer);
  const isSlept = seconds <= MAX_SLEEP_SECONDS && answer.error.code === 'AI_LIMIT_REACHED';
  if (answer.retryAfter === undefined || isSlept) return [];
  return [{ '@type': `${TYPE_PREFIX}RetryInfo`, retryDelay: `${seconds}s` }];
}

function delayOf({ retryAfter = 0, error: { retryAfterMs } }: PublicAnswer): number {
  return retryAfterMs === undefined ? retryAfter : retryAfterMs / 1_000;
}

const QUOTA_PER_DAY = 'AiCapacityPerDay';
const MAX_SLEEP_SECONDS = 300;

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
