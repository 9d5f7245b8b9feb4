// OpenAI's error messages, as observed on the wire. An exhausted plan answers like the ChatGPT plan, with
// `resets_at` in the body; an exhausted balance states no time.

import type { Failure, Refusal } from '../../scenario/failure.ts';
import { delayOf, goDuration, leakedFields, messageOf } from '../../scenario/failure.ts';
import type { StatedFault } from '../../scenario/scenario.ts';

type Row = {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly message: (failure: Failure) => string;
  readonly param?: string;
  readonly fields?: (failure: Failure) => Readonly<Record<string, unknown>>;
};

export function refuseAsOpenai(failure: Failure): Refusal {
  const row = ROWS[failure.kind];
  return {
    status: failure.status ?? row.status,
    headers: retryHeaders(failure),
    body: { error: openaiError(failure) },
  };
}

/** Only the error object; stream events wrap it in their own ways. */
export function openaiError(failure: Failure) {
  const row = ROWS[failure.kind];
  return {
    message: messageOf(failure, row.message(failure)),
    type: failure.kind === 'rate-limit' ? (failure.excess?.dimension ?? row.type) : row.type,
    param: failure.field ?? row.param ?? null,
    code: failure.field === undefined ? row.code : null,
    ...row.fields?.(failure),
    ...leakedFields(failure),
  };
}

const DELAY_IN_HEADERS: ReadonlySet<StatedFault> = new Set(['rate-limit', 'usage-limit-headers']);

function retryHeaders(failure: Failure): Readonly<Record<string, string>> {
  const isStated = DELAY_IN_HEADERS.has(failure.kind);
  const delayMs = isStated ? delayOf(failure) : failure.retryAfterMs;
  if (delayMs === undefined) return {};
  const ms = Math.ceil(delayMs);
  return { 'retry-after': String(Math.ceil(ms / 1000)), 'retry-after-ms': String(ms) };
}

const INVALID = 'invalid_request_error';

const ROWS: Readonly<Record<StatedFault, Row>> = {
  'rate-limit': {
    status: 429,
    type: 'requests',
    code: 'rate_limit_exceeded',
    message: (failure) => {
      const { dimension, limit, used, requested } = failure.excess ?? STAGED;
      const unit = dimension === 'tokens' ? 'tokens per min (TPM)' : 'requests per min (RPM)';
      const where = `${failure.model} in organization org-nSzAzQdeNSFAqkJkNFkdaii9 on ${unit}`;
      if (requested > limit)
        return `Request too large for ${where}: Limit ${limit}, Requested ${requested}. The input or output tokens must be reduced in order to run successfully. Visit https://platform.openai.com/account/rate-limits to learn more.`;
      const delayMs = delayOf(failure);
      const again = delayMs === undefined ? '' : ` Please try again in ${goDuration(delayMs)}.`;
      return `Rate limit reached for ${where}: Limit ${limit}, Used ${used}, Requested ${requested}.${again} Visit https://platform.openai.com/account/rate-limits to learn more.`;
    },
  },
  'usage-limit': {
    status: 429,
    type: 'usage_limit_reached',
    code: null,
    message: () => 'The usage limit has been reached',
    fields: ({ resetAt, now }) => ({
      plan_type: 'plus',
      resets_at: Math.ceil((resetAt ?? now) / 1000),
      resets_in_seconds: Math.max(0, Math.ceil(((resetAt ?? now) - now) / 1000)),
    }),
  },
  'usage-limit-headers': {
    status: 429,
    type: 'usage_limit_reached',
    code: null,
    message: () => 'The usage limit has been reached',
  },
  'spend-limit': {
    status: 400,
    type: INVALID,
    code: 'billing_hard_limit_reached',
    message: () => 'Billing hard limit has been reached',
  },
  'credits-exhausted': {
    status: 429,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    message: () =>
      'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
  },
  overloaded: {
    status: 503,
    type: 'server_error',
    code: 'server_is_overloaded',
    message: () => 'Our servers are currently overloaded. Please try again later.',
  },
  'server-error': {
    status: 500,
    type: 'server_error',
    code: 'server_error',
    message: ({ requestId }) =>
      `The server had an error while processing your request. Sorry about that! You can retry your request, or contact us through our help center at help.openai.com if the error persists. (Please include the request ID ${requestId} in your message.)`,
  },
  timeout: {
    status: 504,
    type: 'server_error',
    code: 'timeout',
    message: () => 'Request timed out.',
  },
  'credentials-refused': {
    status: 401,
    type: INVALID,
    code: 'invalid_api_key',
    message: () =>
      'Incorrect API key provided: sk-AbC1d********WxYz. You can find your API key at https://platform.openai.com/account/api-keys.',
  },
  forbidden: {
    status: 403,
    type: 'request_forbidden',
    code: 'unsupported_country_region_territory',
    message: () => 'Country, region, or territory not supported',
  },
  'context-too-long': {
    status: 400,
    type: INVALID,
    code: 'context_length_exceeded',
    param: 'messages',
    message: ({ inputTokens }) =>
      `This model's maximum context length is 128000 tokens. However, your messages resulted in ${128_000 + inputTokens} tokens. Please reduce the length of the messages.`,
  },
  'content-policy': {
    status: 400,
    type: INVALID,
    code: 'content_policy_violation',
    message: () =>
      'Your request was rejected as a result of our safety system. Your prompt may contain text that is not allowed by our safety system.',
  },
  'invalid-request': {
    status: 400,
    type: INVALID,
    code: 'unsupported_parameter',
    param: 'temperature',
    message: () => "Unsupported parameter: 'temperature' is not supported with this model.",
  },
  'model-not-found': {
    status: 404,
    type: INVALID,
    code: 'model_not_found',
    message: ({ model }) =>
      `The model \`${model}\` does not exist or you do not have access to it.`,
  },
  'too-large': {
    status: 413,
    type: INVALID,
    code: 'request_too_large',
    message: () => 'Request body is too large.',
  },
};

const STAGED = { dimension: 'requests', limit: 3, used: 3, requested: 1 } as const;
