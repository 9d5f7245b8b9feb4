// How Anthropic words its refusals. The texts are those seen on the wire, so that what maps them is tried
// on the real thing: a plan that is used up looks like a throttle, a used-up balance like a mistake.

import type { Failure, Refusal } from '../scenario/failure.ts';
import { delayOf, leakedFields, wordsOf } from '../scenario/failure.ts';
import type { StatedFault } from '../scenario/scenario.ts';

type Row = {
  readonly status: number;
  readonly type: string;
  readonly says: (failure: Failure) => string;
  readonly headers?: (failure: Failure) => Readonly<Record<string, string>>;
};

export function refuseAsAnthropic(failure: Failure): Refusal {
  const row = ROWS[failure.kind];
  const error = anthropicError(failure);
  const status = failure.status ?? row.status;
  // The edge answers for the provider here, and knows nothing of its envelope.
  if (failure.kind === 'too-large') return { status, headers: {}, body: { error } };
  return {
    status,
    headers: { ...retryHeaders(failure), ...row.headers?.(failure) },
    body: { type: 'error', error, request_id: failure.requestId },
  };
}

/** The error object alone, as the error event of a stream carries it. */
export function anthropicError(failure: Failure) {
  const row = ROWS[failure.kind];
  const message = wordsOf(failure, row.says(failure));
  return { details: null, type: row.type, message, ...leakedFields(failure) };
}

/** Only throttles and outages state a delay; a used-up plan states its reset elsewhere. */
function retryHeaders(failure: Failure): Readonly<Record<string, string>> {
  const delayMs = failure.kind === 'rate-limit' ? delayOf(failure) : failure.retryAfterMs;
  return delayMs === undefined ? {} : { 'retry-after': String(Math.ceil(delayMs / 1000)) };
}

const ROWS: Readonly<Record<StatedFault, Row>> = {
  'rate-limit': {
    status: 429,
    type: 'rate_limit_error',
    says: ({ excess, model }) => {
      const unit = excess?.dimension === 'tokens' ? 'tokens' : 'requests';
      const limit = (excess?.limit ?? 50).toLocaleString('en-US');
      return `This request would exceed your organization's rate limit of ${limit} ${unit} per minute (org: 3f4b38de-7887-4e5e-a43d-154b9076bdeb, model: ${model}). For details, refer to: https://docs.claude.com/en/api/rate-limits. You can see the response headers for current usage. Please reduce the prompt length or the maximum tokens requested, or try again later.`;
    },
  },
  'usage-limit': {
    status: 429,
    type: 'rate_limit_error',
    says: ({ resetAt, now }) =>
      `Claude AI usage limit reached|${Math.ceil((resetAt ?? now) / 1000)}`,
  },
  'usage-limit-headers': {
    status: 429,
    type: 'rate_limit_error',
    says: () => "This request would exceed your account's rate limit. Please try again later.",
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
    says: ({ resetAt, now }) =>
      `You have reached your specified API usage limits. You will regain access on ${dateAndMinute(resetAt ?? now)} UTC.`,
  },
  'credits-exhausted': {
    status: 400,
    type: 'invalid_request_error',
    says: () =>
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
  },
  overloaded: {
    status: 529,
    type: 'overloaded_error',
    says: () => 'Overloaded',
    headers: () => ({ 'x-should-retry': 'true' }),
  },
  'server-error': { status: 500, type: 'api_error', says: () => 'Internal server error' },
  timeout: { status: 504, type: 'timeout_error', says: () => 'Request timed out' },
  'credentials-refused': {
    status: 401,
    type: 'authentication_error',
    says: () => 'invalid x-api-key',
  },
  forbidden: {
    status: 403,
    type: 'permission_error',
    says: () => 'Your API key does not have permission to use the specified resource.',
  },
  'context-too-long': {
    status: 400,
    type: 'invalid_request_error',
    says: ({ inputTokens }) =>
      `prompt is too long: ${200_000 + inputTokens} tokens > 200000 maximum`,
  },
  'content-policy': {
    status: 400,
    type: 'invalid_request_error',
    says: () => 'Output blocked by content filtering policy',
  },
  'invalid-request': {
    status: 400,
    type: 'invalid_request_error',
    says: () => 'temperature: Input should be less than or equal to 1',
  },
  'model-not-found': {
    status: 404,
    type: 'not_found_error',
    says: ({ model }) => `model: ${model}`,
  },
  'too-large': {
    status: 413,
    type: 'request_too_large',
    says: () => 'Request exceeds the maximum size',
  },
};

/** "2026-04-01 at 00:00": the minute, rounded up, so that nobody comes back too early. */
function dateAndMinute(at: number): string {
  const stated = new Date(Math.ceil(at / 60_000) * 60_000).toISOString();
  return `${stated.slice(0, 10)} at ${stated.slice(11, 16)}`;
}
