// Refusals of the size, the price or the plan of one request, as vendors state them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeProviderError } from '../../map-provider-error.ts';
import { callerTextOf } from './caller-text.ts';
import type { Lesson } from './lesson.ts';

type Refusal = { readonly status?: number; readonly headers?: object; readonly message: string };

function lessonOf(
  { status = 429, headers = {}, message }: Refusal,
  tokens = 10,
  request = '{}',
): Lesson {
  const body = JSON.stringify({ error: { message } });
  const context = {
    now: 1_800_000_000_000,
    model: 'gpt-4o',
    requestTokens: () => tokens,
    callerText: callerTextOf({ path: '/v1/x', headers: [], body: Buffer.from(request) }),
  };
  return judgeProviderError({ status, headers, body }, context).lesson;
}

const openai = (window: string, numbers: string) =>
  `Rate limit reached for gpt-4o in organization org-1 on ${window}: ${numbers}. Please try again in 24s.`;

const LARGE: readonly (readonly [string, Refusal, number])[] = [
  [
    'more than what is left of a minute, by its own size',
    { message: openai('tokens per min (TPM)', 'Limit 10000, Used 6000, Requested 4100') },
    4100,
  ],
  [
    'most of a minute, by the stated size',
    { message: openai('tokens per min (TPM)', 'Limit 10000, Used 6000, Requested 9000') },
    10,
  ],
  [
    'more than a minute allows, by a rounded size (Groq)',
    { message: openai('tokens per minute (TPM)', 'Limit 7000, Used 0, Requested ~12903') },
    10,
  ],
  [
    'more audio than an hour allows',
    { message: openai('seconds of audio per hour (ASPH)', 'Limit 7200, Used 0, Requested 9000') },
    10,
  ],
  [
    'more images than a minute allows',
    { message: openai('images per min', 'Limit 5, Used 0, Requested 10') },
    10,
  ],
  [
    'most of a day',
    { message: openai('tokens per day (TPD)', 'Limit 90000, Used 60000, Requested 50000') },
    10,
  ],
  [
    'more than the headers say is left',
    {
      headers: {
        'retry-after': '24',
        'x-ratelimit-limit-requests': '500',
        'x-ratelimit-remaining-requests': '499',
        'x-ratelimit-limit-tokens': '10000',
        'x-ratelimit-remaining-tokens': '4000',
      },
      message: 'Rate limit reached',
    },
    5000,
  ],
  [
    'most of the input of a minute (Anthropic)',
    { message: "exceeds your organization's rate limit of 30,000 input tokens per minute" },
    25_000,
  ],
  [
    'most of the output of a minute (Anthropic)',
    { message: "exceed your organization's rate limit of 8,000 output tokens per minute" },
    64_000,
  ],
  [
    'more input than a minute allows (Google)',
    {
      message:
        'Quota exceeded for metric: x/generate_content_paid_tier_input_token_count, limit: 250000, model: gemini-2.5-flash',
    },
    300_000,
  ],
];

for (const [name, refusal, tokens] of LARGE)
  test(`a refusal of a request with ${name} teaches nothing`, () => {
    assert.equal(lessonOf(refusal, tokens).code, 'REQUEST_TOO_LARGE');
  });

const EXHAUSTED: readonly (readonly [string, Refusal, number])[] = [
  [
    'a minute with little left',
    { message: openai('tokens per min (TPM)', 'Limit 10000, Used 9500, Requested 9000') },
    9000,
  ],
  [
    'a minute that a small request meets',
    { message: openai('tokens per min (TPM)', 'Limit 10000, Used 8554, Requested 3082') },
    10,
  ],
  [
    'the requests of a minute',
    { message: openai('requests per min (RPM)', 'Limit 2, Used 2, Requested 1') },
    9000,
  ],
  [
    'the images of a minute',
    { message: openai('images per min', 'Limit 5, Used 5, Requested 1') },
    10,
  ],
  [
    'the input of a minute',
    { message: "exceeds your organization's rate limit of 30,000 input tokens per minute" },
    500,
  ],
];

for (const [name, refusal, tokens] of EXHAUSTED)
  test(`a refusal by ${name} is a throttle`, () => {
    assert.equal(lessonOf(refusal, tokens).code, 'RATE_LIMITED');
  });

for (const [status, message] of [
  [402, 'Insufficient credits for this request. Estimated cost: $1.20, available: $0.80'],
  [402, 'Prompt tokens limit exceeded: 41234 > 8976. To increase, upgrade to a paid account'],
  [403, 'Model x is not available on free tier. Please upgrade to a paid account.'],
  [
    429,
    'Rate limit exceeded for end_user: x. Limit type: requests. Current limit: 2, Remaining: 0',
  ],
  [429, 'Budget has been exceeded! Tag=x Current cost: 0.1, Max budget: 0.05'],
  [
    429,
    "Quota exceeded for quota metric 'Grounding requests' and limit 'Grounding requests per day'",
  ],
  [413, 'Rate limit exceeded, 9000 tokens per minute requested'],
  [403, 'This model requires a paid plan. Please upgrade your plan.'],
  [403, 'Your plan does not include images. Upgrade your plan or add credits.'],
  [403, 'Your quota does not cover this. Upgrade your plan.'],
  [429, 'This model is not available on your current plan. Upgrade your subscription.'],
] as const)
  test(`a ${status} "${message}" teaches no limit`, () => {
    assert.equal(lessonOf({ status, message }).code, 'REQUEST_TOO_LARGE');
  });

test('used-up credit and a used-up plan are learnt', () => {
  for (const [status, message] of [
    [402, 'Insufficient credits. Add more in your settings.'],
    [402, 'Insufficient Balance'],
    [
      403,
      "Your newly created team doesn't have any credits or licenses yet. You can purchase those.",
    ],
    [429, "You've reached your weekly limit. Upgrade your plan."],
  ] as const) {
    const { code, isModelBound } = lessonOf({ status, message });
    assert.deepEqual([code, isModelBound], ['AI_LIMIT_REACHED', false], message);
  }
});

test('a 401 of the vendor behind one model of an aggregator concerns that model', () => {
  const { code, isScopeBound } = lessonOf({ status: 401, message: 'Provider returned error' });
  assert.deepEqual([code, isScopeBound], ['AUTH_FAILED', true]);
});

for (const [status, message] of [
  [429, 'Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free requests'],
  [402, 'Provider returned error'],
  [429, 'Too many tokens per day, please wait before trying again.'],
  [429, 'Rate limit of 50 per 86400s exceeded for UserByModelByDay. Please wait 3600 seconds.'],
  [429, 'Tokens per day limit exceeded - too many tokens processed.'],
  [402, 'Insufficient credits. This account never purchased credits.'],
  [429, 'Your quota for gpt-4o is used up for today: 50 requests per day'],
  [
    429,
    'You have exceeded token rate limit of your current pricing tier. Retry after 86400 seconds.',
  ],
  [403, 'The free tier of the model has been exhausted, your quota is exhausted'],
  [429, 'You have exhausted your capacity on this model. Your quota will reset after 10m.'],
  [429, 'The quota for images is used up.'],
] as const)
  test(`a ${status} "${message}" limits one model`, () => {
    const { code, isModelBound } = lessonOf({ status, message });
    assert.deepEqual([code, isModelBound], ['AI_LIMIT_REACHED', true]);
  });

test('a model name inside a longer word does not count as named', () => {
  const body = JSON.stringify({ error: { message: 'You exceeded your quota for proto1' } });
  const { lesson } = judgeProviderError({ status: 429, body }, { now: 0, model: 'o1' });
  assert.deepEqual([lesson.code, lesson.isModelBound], ['AI_LIMIT_REACHED', false]);
});

/** Groq states the requests of the day and the tokens of the minute, in which nothing is used. */
const ROOMY = {
  'x-ratelimit-limit-requests': '14400',
  'x-ratelimit-remaining-requests': '14370',
  'x-ratelimit-limit-tokens': '6000',
  'x-ratelimit-remaining-tokens': '6000',
};
const DAY = openai('tokens per day (TPD)', 'Limit 100000, Used 97050, Requested 3619');
const CONCURRENT =
  'Number of concurrent connections has exceeded your rate limit. Please try again later.';
const ACCELERATION =
  "This request would exceed your organization's maximum usage increase rate for input tokens per minute.";

const CALLS =
  'Requests to the ChatCompletions_Create Operation have exceeded call rate limit of your current OpenAI S0 pricing tier.';
const REQUESTS = 'Requests rate limit exceeded';
const PER_DAY = 'Rate limit reached for model `x` on requests per day (RPD)';

for (const tokens of [10, 5000])
  for (const [message, seconds, code] of [
    [DAY, '578', 'AI_LIMIT_REACHED'],
    [DAY, '120', 'RATE_LIMITED'],
    [CONCURRENT, '20', 'RATE_LIMITED'],
    [ACCELERATION, '20', 'RATE_LIMITED'],
    [CALLS, '12', 'RATE_LIMITED'],
    [REQUESTS, '1', 'RATE_LIMITED'],
    [PER_DAY, '2', 'RATE_LIMITED'],
  ] as const)
    test(`a limit that the headers do not count is learnt with retry-after ${seconds} and ${tokens} tokens: ${message.slice(0, 30)}`, () => {
      const refusal = { headers: { ...ROOMY, 'retry-after': seconds }, message };
      assert.equal(lessonOf(refusal, tokens).code, code);
      const quoted = lessonOf(
        { ...refusal, headers: { ...ROOMY, 'retry-after': '20' } },
        tokens,
        message,
      );
      assert.equal(quoted.code, 'REQUEST_TOO_LARGE', 'a statement of the request');
    });

test('a stated size that the request contains still concerns that request alone', () => {
  const message = openai('tokens per minute (TPM)', 'Limit 7000, Used 0, Requested 12903');
  const refusal = { headers: { 'retry-after': '30' }, message };
  assert.equal(lessonOf(refusal, 10, message).code, 'REQUEST_TOO_LARGE');
});

test('a budget of the end user in the request teaches no limit', () => {
  for (const status of [400, 429]) {
    const message = 'ExceededBudget: End User=x over budget. Spend=0.0008, Budget=0.0001';
    const body = JSON.stringify({ error: { message, type: 'budget_exceeded', code: `${status}` } });
    assert.equal(judgeProviderError({ status, body }).lesson.code, 'REQUEST_TOO_LARGE');
  }
});

test('a throttle of a model that a tool calls does not throttle the requested model', () => {
  const message =
    'Rate limit reached for gpt-image-1 (for limit gpt-image) in organization org-1 on images per min';
  const body = JSON.stringify({ error: { message, type: 'tokens', code: 'rate_limit_exceeded' } });
  const failure = { status: 429, headers: { 'retry-after': '30' }, body };
  for (const [model, code] of [
    ['gpt-5-mini', 'REQUEST_TOO_LARGE'],
    ['gpt-image-1', 'RATE_LIMITED'],
  ] as const)
    assert.equal(judgeProviderError(failure, { model }).lesson.code, code);
});

for (const owner of ['key', 'team'])
  test(`a 401 for a model that is not on the list of a ${owner} (LiteLLM) concerns that model`, () => {
    const message = `${owner} not allowed to access model. This ${owner} can only access models=['a']. Tried to access b`;
    const { code, isScopeBound } = lessonOf({ status: 401, message });
    assert.deepEqual([code, isScopeBound], ['AUTH_FAILED', true]);
  });

test('a throttle of the vendor that a request chooses at an aggregator does not throttle the model', () => {
  const refusal = { headers: { 'retry-after': '30' }, message: 'Provider returned error' };
  const chosen = JSON.stringify({ provider: { only: ['a'] }, messages: [] });
  const prompt = JSON.stringify({ messages: [{ content: JSON.stringify({ provider: 'a' }) }] });
  assert.equal(lessonOf(refusal, 10, chosen).code, 'REQUEST_TOO_LARGE');
  assert.equal(lessonOf(refusal, 10, prompt).code, 'RATE_LIMITED');
});

test('a 401 for a request with a key of its own (LiteLLM) refuses no credential of the account', () => {
  const refusal = { status: 401, message: 'Incorrect API key provided' };
  for (const key of ['api_key', 'api\\u005fkey'])
    assert.ok(lessonOf(refusal, 10, `{"${key}":"x"}`).isScopeBound, key);
  assert.ok(!lessonOf(refusal).isScopeBound);
});

test('a request larger than the amount of tokens that Google states for the limit teaches nothing', () => {
  const violation = {
    quotaMetric: 'x/generate_content_paid_tier_input_token_count',
    quotaId: 'GenerateContentPaidTierInputTokensPerModelPerMinute',
    quotaValue: '250000',
  };
  const requests = { quotaId: 'GenerateRequestsPerMinutePerProjectPerModel', quotaValue: '10' };
  const lessonWith = (tokens: number, ...violations: readonly object[]) => {
    const details = [
      { '@type': 'google.rpc.QuotaFailure', violations },
      { '@type': 'google.rpc.RetryInfo', retryDelay: '30s' },
    ];
    const error = { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Quota exceeded', details };
    const failure = { status: 429, body: JSON.stringify({ error }) };
    return judgeProviderError(failure, { requestTokens: () => tokens }).lesson.code;
  };
  assert.equal(lessonWith(300_000, violation), 'REQUEST_TOO_LARGE');
  assert.equal(lessonWith(10, violation), 'RATE_LIMITED');
  assert.equal(lessonWith(300_000, requests), 'RATE_LIMITED');
  assert.equal(lessonWith(300_000, violation, requests), 'RATE_LIMITED');
});

test('a throttle of long contexts does not throttle the model, but a usage limit of the account limits it', () => {
  for (const [error, code] of [
    [{ type: 'rate_limit_error', message: 'Rate limited' }, 'REQUEST_TOO_LARGE'],
    [{ type: 'billing_error', message: 'Credit balance is too low' }, 'AI_LIMIT_REACHED'],
  ] as const) {
    const failure = {
      status: 429,
      headers: { 'retry-after': '30' },
      body: JSON.stringify({ error }),
    };
    assert.equal(judgeProviderError(failure, { isLongContext: true }).lesson.code, code);
  }
});

for (const [status, code] of [
  [400, 'model_terms_required'],
  [401, 'PermissionDenied'],
] as const)
  test(`a ${status} with the code ${code} concerns one model or operation`, () => {
    const body = JSON.stringify({ error: { message: 'refused', code } });
    const { lesson } = judgeProviderError({ status, body });
    assert.deepEqual([lesson.code, lesson.isScopeBound], ['AUTH_FAILED', true]);
  });

for (const [status, error] of [
  [400, { status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] }],
  [401, { type: 'authentication_error' }],
  [401, { code: 'unauthorized' }],
  [401, {}],
] as const)
  test(`a ${status} with ${JSON.stringify(error)} refuses the key`, () => {
    const body = JSON.stringify({ error: { message: 'refused', ...error } });
    const { lesson } = judgeProviderError({ status, body });
    assert.deepEqual([lesson.code, lesson.isScopeBound], ['AUTH_FAILED', false]);
  });

test('a throttle that states neither an amount nor what is left is unnumbered', () => {
  const azure = (what: string) =>
    `Requests have exceeded ${what} rate limit of your current OpenAI S0 pricing tier.`;
  const left = { 'x-ratelimit-limit-tokens': '100', 'x-ratelimit-remaining-tokens': '1' };
  for (const [refusal, isUnnumbered] of [
    [{ message: azure('token') }, true],
    [{ message: 'Too many requests' }, true],
    [{ message: azure('call') }, false],
    [{ message: azure('token'), headers: left }, false],
    [{ message: 'your rate limit of 30,000 input tokens per minute' }, false],
    [{ message: openai('tokens per min (TPM)', 'Limit 100, Used 99, Requested 3') }, false],
    [{ status: 402, message: 'Insufficient Balance' }, false],
  ] as const)
    assert.equal(lessonOf(refusal).isUnnumbered, isUnnumbered, refusal.message);
});

test('a day that headers state is exhausted limits one model', () => {
  const headers = { 'retry-after': '4000', 'x-ratelimit-remaining-requests-day': '0' };
  const { code, isModelBound } = lessonOf({ headers, message: 'Too many requests' });
  assert.deepEqual([code, isModelBound], ['AI_LIMIT_REACHED', true]);
});
