// Anthropic's error messages, as observed on the wire, so that the mapping is tested against real texts: an
// exhausted plan resembles a throttle, an exhausted balance an invalid request.

import type { Failure, Refusal } from '../../scenario/failure.ts';
import { delayOf, leakedFields, messageOf } from '../../scenario/failure.ts';
import type { StatedFault } from '../../scenario/scenario.ts';

type Row = {
  readonly status: number;
  readonly type: string;
  readonly message: (failure: Failure) => string;
  readonly headers?: (failure: Failure) => Readonly<Record<string, string>>;
};

export function refuseAsAnthropic(failure: Failure): Refusal {
  const row = ROWS[failure.kind];
  const error = anthropicError(failure);
  const status = failure.status ?? row.status;
  // Sent by the edge in front of the provider, without the provider's envelope.
  if (failure.kind === 'too-large') return { status, headers: {}, body: { error } };
  return {
    status,
    headers: { ...retryHeaders(failure), ...row.headers?.(failure) },
    body: { type: 'error', error, request_id: failure.requestId },
  };
}

/** Only the error object, as in the error event of a stream. */
export function anthropicError(failure: Failure) {
  const row = ROWS[failure.kind];
  const message = messageOf(failure, row.message(failure));
  return { details: null, type: row.type, message, ...leakedFields(failure) };
}

/** Only throttles and outages state a delay; an exhausted plan states its reset elsewhere. */
function retryHeaders(failure: Failure): Readonly<Record<string, string>> {
  const delayMs = failure.kind === 'rate-limit' ? delayOf(failure) : failure.retryAfterMs;
  return delayMs === undefined ? {} : { 'retry-after': String(Math.ceil(delayMs / 1000)) };
}

const ROWS: Readonly<Record<StatedFault, Row>> = {
  'rate-limit': {
    status: 429,
    type: 'rate_limit_error',
    message: ({ excess, model }) => {
      const unit = excess?.dimension === 'tokens' ? 'tokens' : 'requests';
      const limit = (excess?.limit ?? 50).toLocaleString('en-US');
      return `This request would exceed your organization's rate limit of ${limit} ${unit} per minute (org: 3f4b38de-7887-4e5e-a43d-154b9076bdeb, model: ${model}). For details, refer to: https://docs.claude.com/en/api/rate-limits. You can see the response headers for current usage. Please reduce the prompt length or the maximum tokens requested, or try again later.`;
    },
  },
  'usage-limit': {
    status: 429,
    type: 'rate_limit_error',
    message: ({ resetAt, now }) =>
      `Claude AI usage limit reached|${Math.ceil((resetAt ?? now) / 1000)}`,
  },
  'usage-limit-headers': {
    status: 429,
    type: 'rate_limit_error',
    message: () => "This request would exceed your account's rate limit. Please try again later.",
    headers: ({ resetAt, now }) => {
      const reset = String(Math.ceil((resetAt ?? now) / 1000));
      return {
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-representative-claim': 'five_hour',
        'anthropic-ratelimit-unified-reset': reset,
        'anthropic-ratelimit-unified-5h-status': 'rejected',
        'anthropic-ratelimit-unified-5h-reset': reset,
        'x-should-retry': 'false',
      };
    },
  },
  'spend-limit': {
    status: 400,
    type: 'invalid_request_error',
    message: ({ resetAt, now }) =>
      `You have reached your specified API usage limits. You will regain access on ${dateAndMinute(resetAt ?? now)} UTC.`,
  },
  'credits-exhausted': {
    status: 400,
    type: 'invalid_request_error',
    message: () =>
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
  },
  overloaded: {
    status: 529,
    type: 'overloaded_error',
    message: () => 'Overloaded',
    headers: () => ({ 'x-should-retry': 'true' }),
  },
  'server-error': { status: 500, type: 'api_error', message: () => 'Internal server error' },
  timeout: { status: 504, type: 'timeout_error', message: () => 'Request timed out' },
  'credentials-refused': {
    status: 401,
    type: 'authentication_error',
    message: () => 'invalid x-api-key',
  },
  forbidden: {
    status: 403,
    type: 'permission_error',
    message: () => 'Your API key does not have permission to use the specified resource.',
  },
  'context-too-long': {
    status: 400,
    type: 'invalid_request_error',
    message: ({ inputTokens }) =>
      `prompt is too long: ${200_000 + inputTokens} tokens > 200000 maximum`,
  },
  'content-policy': {
    status: 400,
    type: 'invalid_request_error',
    message: () => 'Output blocked by content filtering policy',
  },
  'invalid-request': {
    status: 400,
    type: 'invalid_request_error',
    message: () => 'temperature: Input should be less than or equal to 1',
  },
  'model-not-found': {
    status: 404,
    type: 'not_found_error',
    message: ({ model }) => `model: ${model}`,
  },
  'too-large': {
    status: 413,
    type: 'request_too_large',
    message: () => 'Request exceeds the maximum size',
  },
};

/** "2026-04-01 at 00:00": the minute, rounded up, so that no caller returns too early. */
function dateAndMinute(at: number): string {
  const stated = new Date(Math.ceil(at / 60_000) * 60_000).toISOString();
  return `${stated.slice(0, 10)} at ${stated.slice(11, 16)}`;
}
