// Gemini's error messages: a code, a status name and details. Delays are in RetryInfo and in the text. Two
// peculiarities are reproduced: a rejected key is a 400, and rejected content is a 200 without candidates.

import type { Failure, Refusal } from '../../scenario/failure.ts';
import { delayOf, goDuration, leakedFields, messageOf } from '../../scenario/failure.ts';
import type { StatedFault } from '../../scenario/scenario.ts';

type Row = {
  readonly status: number;
  readonly name: string;
  readonly message: (failure: Failure) => string;
  readonly details?: (failure: Failure) => readonly unknown[];
};

export function refuseAsGemini(failure: Failure): Refusal {
  if (failure.kind === 'content-policy') return blocked(failure);
  const row = ROWS[failure.kind];
  const status = failure.status ?? row.status;
  const details = [...(row.details?.(failure) ?? []), ...retryInfo(failure)];
  const error = {
    code: status,
    message: messageOf(failure, row.message(failure)),
    status: row.name,
    ...(details.length === 0 ? {} : { details }),
    ...leakedFields(failure),
  };
  return { status, headers: {}, body: { error } };
}

function blocked(failure: Failure): Refusal {
  const promptFeedback = {
    blockReason: 'PROHIBITED_CONTENT',
    ...(failure.message === undefined && failure.secret === undefined
      ? {}
      : { blockReasonMessage: messageOf(failure, 'The prompt was blocked.') }),
  };
  const usageMetadata = {
    promptTokenCount: failure.inputTokens,
    totalTokenCount: failure.inputTokens,
  };
  const body = { promptFeedback, usageMetadata, modelVersion: failure.model };
  return { status: failure.status ?? 200, headers: {}, body };
}

const LIMITS: ReadonlySet<StatedFault> = new Set(['rate-limit', 'usage-limit']);

function retryInfo(failure: Failure): readonly unknown[] {
  const delayMs = LIMITS.has(failure.kind) ? delayOf(failure) : failure.retryAfterMs;
  return delayMs === undefined ? [] : [retryAfter(`${Math.ceil(delayMs) / 1000}s`)];
}

const QUOTA_HELP =
  'You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.';

const ROWS: Readonly<Record<Exclude<StatedFault, 'content-policy'>, Row>> = {
  'rate-limit': {
    status: 429,
    name: 'RESOURCE_EXHAUSTED',
    message: (failure) => {
      const metric = `generativelanguage.googleapis.com/${metricOf(failure)}`;
      const delayMs = delayOf(failure);
      const retry = delayMs === undefined ? '' : `\nPlease retry in ${goDuration(delayMs)}.`;
      return `${QUOTA_HELP}\n* Quota exceeded for metric: ${metric}, limit: ${failure.excess?.limit ?? 2}${retry}`;
    },
    details: (failure) => [quotaFailure(failure, 'PerMinute')],
  },
  'usage-limit': {
    status: 429,
    name: 'RESOURCE_EXHAUSTED',
    message: (failure) =>
      `Individual quota reached. Please upgrade your subscription to increase your limits. Resets in ${goDuration(delayOf(failure) ?? 0)}.`,
    details: (failure) => [
      errorInfo('QUOTA_EXHAUSTED', 'cloudcode-pa.googleapis.com', {
        quotaResetTimeStamp: new Date(failure.resetAt ?? failure.now).toISOString(),
        quotaResetDelay: `${(delayOf(failure) ?? 0) / 1000}s`,
        uiMessage: 'true',
        model: failure.model,
      }),
    ],
  },
  // A daily quota with a wrong stated delay: it resets at midnight, not in sixteen seconds.
  'usage-limit-headers': {
    status: 429,
    name: 'RESOURCE_EXHAUSTED',
    message: () => QUOTA_HELP,
    details: (failure) => [quotaFailure(failure, 'PerDay'), retryAfter('16s')],
  },
  'spend-limit': {
    status: 429,
    name: 'RESOURCE_EXHAUSTED',
    message: () =>
      'Your project has exceeded its monthly spending cap. Please go to AI Studio at https://ai.studio/spend to manage your project spend cap.',
  },
  'credits-exhausted': {
    status: 429,
    name: 'RESOURCE_EXHAUSTED',
    message: () =>
      'Your prepayment credits are depleted. Please go to AI Studio at https://ai.studio/projects to manage your project and billing.',
  },
  overloaded: {
    status: 503,
    name: 'UNAVAILABLE',
    message: () => 'The model is overloaded. Please try again later.',
  },
  'server-error': {
    status: 500,
    name: 'INTERNAL',
    message: () =>
      'An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
  },
  timeout: {
    status: 504,
    name: 'DEADLINE_EXCEEDED',
    message: () => 'Deadline expired before operation could complete.',
  },
  'credentials-refused': {
    status: 400,
    name: 'INVALID_ARGUMENT',
    message: () => 'API key not valid. Please pass a valid API key.',
    details: () => [
      errorInfo('API_KEY_INVALID', 'googleapis.com', {
        service: 'generativelanguage.googleapis.com',
      }),
    ],
  },
  forbidden: {
    status: 403,
    name: 'PERMISSION_DENIED',
    message: () => 'Your project has been denied access. Please contact support.',
  },
  'context-too-long': {
    status: 400,
    name: 'INVALID_ARGUMENT',
    message: ({ inputTokens }) =>
      `The input token count (${1_048_576 + inputTokens}) exceeds the maximum number of tokens allowed (1048576).`,
  },
  'invalid-request': {
    status: 400,
    name: 'INVALID_ARGUMENT',
    message: () => 'max_output_tokens must be greater than the thinking budget',
  },
  'model-not-found': {
    status: 404,
    name: 'NOT_FOUND',
    message: ({ model }) =>
      `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`,
  },
  'too-large': {
    status: 413,
    name: 'INVALID_ARGUMENT',
    message: () => 'Request payload size exceeds the limit: 20971520 bytes.',
  },
};

function metricOf({ excess }: Failure): string {
  return excess?.dimension === 'tokens'
    ? 'generate_content_free_tier_input_token_count'
    : 'generate_content_free_tier_requests';
}

function quotaFailure(failure: Failure, window: 'PerMinute' | 'PerDay'): unknown {
  const isTokens = failure.excess?.dimension === 'tokens';
  const violation = {
    quotaMetric: `generativelanguage.googleapis.com/${metricOf(failure)}`,
    quotaId: isTokens
      ? `GenerateContentInputTokensPerModel${window}-FreeTier`
      : `GenerateRequests${window}PerProjectPerModel-FreeTier`,
    quotaDimensions: { location: 'global', model: failure.model },
    quotaValue: String(failure.excess?.limit ?? 2),
  };
  return { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [violation] };
}

function errorInfo(
  reason: string,
  domain: string,
  metadata: Readonly<Record<string, string>>,
): unknown {
  return { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain, metadata };
}

function retryAfter(retryDelay: string): unknown {
  return { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay };
}
