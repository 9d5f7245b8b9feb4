// Limits of a model and limits of an account, in the texts and shapes that providers send.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeProviderError } from '../../map-provider-error.ts';

function google(violation: object, message = 'You exceeded your current quota.') {
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [violation] },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '24s' },
  ];
  const error = { code: 429, status: 'RESOURCE_EXHAUSTED', message, details };
  return { status: 429, body: JSON.stringify({ error }) };
}

function openai(message: string) {
  const error = { message, type: 'tokens', param: null, code: 'rate_limit_exceeded' };
  return { status: 429, body: JSON.stringify({ error }) };
}

const METRIC = 'generativelanguage.googleapis.com/generate_content_free_tier_requests';

const OF_A_MODEL: Readonly<Record<string, unknown>> = {
  'a quota of Google by its id': google({
    quotaMetric: METRIC,
    quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier',
  }),
  'a quota of Google by its dimensions': google({
    quotaId: 'GenerateRequestsPerDayPerProject',
    quotaDimensions: { location: 'global', model: 'gemini-2.5-pro' },
  }),
  'a quota of Google in words': google(
    { quotaId: 'GenerateRequestsPerDay' },
    `* Quota exceeded for metric: ${METRIC}, limit: 50, model: gemini-2.5-pro`,
  ),
  'a day of tokens at OpenAI': openai(
    'Rate limit reached for gpt-4o in organization org-1 on tokens per day (TPD): Limit 90000, Used 90000, Requested 10. Please try again in 7h12m.',
  ),
  'a day of tokens at Groq': openai(
    'Rate limit reached for model `llama-3.3-70b` in organization `org_1` service tier `on_demand` on tokens per day (TPD): Limit 100000, Used 99990, Requested 1500. Please try again in 21m27.36s.',
  ),
  'a week of Opus': { status: 429, body: 'Opus weekly limit reached ∙ resets Oct 9 at 5pm' },
  'Opus, addressed to a user': {
    status: 429,
    body: "You've hit your Opus limit · resets 3pm (UTC)",
  },
  'a week for Sonnet': { status: 429, body: "You've reached your weekly limit for Sonnet" },
  'a claim in headers': {
    status: 429,
    headers: {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-representative-claim': 'seven_day_opus',
      'anthropic-ratelimit-unified-reset': '1893456000',
    },
    body: '{"type":"error","error":{"type":"rate_limit_error","message":"limited"}}',
  },
};

const OF_THE_ACCOUNT: Readonly<Record<string, unknown>> = {
  'a quota of a project': google({
    quotaMetric: METRIC,
    quotaId: 'GenerateRequestsPerDayPerProject-FreeTier',
    quotaDimensions: { location: 'global' },
  }),
  'credit that is gone': openai(
    'You exceeded your current quota, please check your plan and billing details.',
  ),
  'a plan that is used up': 'Claude AI usage limit reached|1893456000',
  'a week of everything': 'Weekly limit reached ∙ resets Oct 9 at 5pm',
  'a claim for all models': {
    status: 429,
    headers: {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-representative-claim': 'seven_day',
      'anthropic-ratelimit-unified-reset': '1893456000',
    },
    body: '{"type":"error","error":{"type":"rate_limit_error","message":"limited"}}',
  },
};

for (const [what, failure] of Object.entries(OF_A_MODEL)) {
  test(`${what}: the limit applies to one model`, () => {
    const { verdict, lesson } = judgeProviderError(failure, { now: 0 });
    assert.deepEqual([verdict.code, lesson.isModelBound], ['AI_LIMIT_REACHED', true]);
  });
}

for (const [what, failure] of Object.entries(OF_THE_ACCOUNT)) {
  test(`${what}: the limit applies to the whole account`, () => {
    const { verdict, lesson } = judgeProviderError(failure, { now: 0 });
    assert.deepEqual([verdict.code, lesson.isModelBound], ['AI_LIMIT_REACHED', false]);
  });
}

test('a failure that is not a limit is never bound to a model', () => {
  const throttle = 'Rate limit reached for gpt-4o in organization org-1 on tokens per min (TPM)';
  const { verdict, lesson } = judgeProviderError(openai(throttle));
  assert.deepEqual([verdict.code, lesson.isModelBound], ['RATE_LIMITED', false]);
});
