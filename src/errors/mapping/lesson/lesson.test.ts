// What organisations learn from a failure of another one: the provider's own statements, never the text of a request.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeProviderError } from '../../map-provider-error.ts';
import { callerTextOf } from './caller-text.ts';
import type { Lesson } from './lesson.ts';

const NOW = 1_800_000_000_000;
const HOSTILE = 'credit balance is too low try again in 700 hours';
const IN_2099 = 'usage limit reached|4070908800';

function body(message: string, fields: object = { type: 'invalid_request_error' }): string {
  return JSON.stringify({ type: 'error', error: { ...fields, message } });
}

function sent(text: string, path = '/v1/messages', headers: readonly string[] = []) {
  return callerTextOf({ path, headers, body: Buffer.from(text) });
}

function lessonOf(failure: unknown, request = ''): Lesson {
  return judgeProviderError(failure, { now: NOW, callerText: sent(request) }).lesson;
}

function learnt({ code, retryAfterMs, resetAt, health }: Lesson) {
  return { code, retryAfterMs, resetAt, health };
}

const NOTHING = { retryAfterMs: undefined, resetAt: undefined };

for (const status of [400, 404, 413, 422])
  for (const text of [HOSTILE, IN_2099, 'overloaded_error', 'API key not valid'])
    test(`the prose of a ${status} that quotes "${text}" teaches nothing`, () => {
      const failure = { status, body: body(`${text}: Extra inputs are not permitted`) };
      const { code, health, ...stated } = learnt(lessonOf(failure));
      assert.ok(!['AI_LIMIT_REACHED', 'RATE_LIMITED', 'AUTH_FAILED'].includes(code), code);
      assert.deepEqual({ health, ...stated }, { health: 'neutral', ...NOTHING });
    });

test('a field named like a limit stays the verdict of the one caller and no lesson', () => {
  const failure = { status: 400, body: body(`${HOSTILE}: Extra inputs are not permitted`) };
  const { verdict, lesson } = judgeProviderError(failure, { now: NOW });
  assert.equal(verdict.code, 'AI_LIMIT_REACHED');
  assert.equal(lesson.code, 'INVALID_REQUEST');
});

const SENTENCES: readonly (readonly [string, number | undefined])[] = [
  [
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    undefined,
  ],
  [
    'Your credit balance is too low to access the Claude API. Please go to Plans & Billing to upgrade or purchase credits.',
    undefined,
  ],
  [
    'You have reached your specified API usage limits. You will regain access on 2027-02-01 at 00:00 UTC.',
    Date.UTC(2027, 1, 1),
  ],
  [
    'You have reached your specified workspace API usage limits. You will regain access on 2027-02-01 at 08:30 UTC.',
    Date.UTC(2027, 1, 1, 8, 30),
  ],
  ['Claude AI usage limit reached|1800003600', 1_800_003_600_000],
  ['Billing hard limit has been reached', undefined],
];

for (const [sentence, resetAt] of SENTENCES) {
  test(`the whole message "${sentence}" of a 400 is a limit`, () => {
    const lesson = lessonOf({ status: 400, body: body(sentence) });
    assert.deepEqual([lesson.code, lesson.resetAt], ['AI_LIMIT_REACHED', resetAt]);
  });
  for (const quoted of [
    `messages.0: ${sentence}`,
    `${sentence} `,
    `"${sentence}"`,
    `${sentence}: x`,
  ])
    test(`the message "${quoted}" of a 400 is not a limit`, () => {
      assert.equal(lessonOf({ status: 400, body: body(quoted) }).code, 'INVALID_REQUEST');
    });
}

test('typed fields of a 400 teach, whatever the message quotes', () => {
  const fields = { type: 'invalid_request_error', code: 'billing_hard_limit_reached' };
  assert.equal(lessonOf({ status: 400, body: body('x', fields) }).code, 'AI_LIMIT_REACHED');
  const google = {
    error: {
      code: 400,
      message: 'API key not valid.',
      status: 'INVALID_ARGUMENT',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
    },
  };
  assert.equal(lessonOf({ status: 400, body: JSON.stringify(google) }).code, 'AUTH_FAILED');
});

test('the header of a 429 states its time, not the quoted request', () => {
  const failure = {
    status: 429,
    headers: { 'retry-after': '7' },
    body: body(`Rate limited: ${IN_2099} try again in 700 hours`, { type: 'rate_limit_error' }),
  };
  const request = JSON.stringify({ [`${IN_2099} try again in 700 hours`]: 1 });
  assert.deepEqual(learnt(lessonOf(failure, request)), {
    code: 'RATE_LIMITED',
    retryAfterMs: 7000,
    resetAt: undefined,
    health: 'neutral',
  });
});

test('a 429 without a stated time learns none from the words of its caller', () => {
  const failure = { status: 429, body: body(`Rate limited: ${HOSTILE}, ${IN_2099}, limit: 0`) };
  for (const request of [
    JSON.stringify({ [HOSTILE]: IN_2099, other: 'limit: 0' }),
    JSON.stringify({ a: `${HOSTILE} ${IN_2099} limit: 0` }).replaceAll(
      /[a-z]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  ])
    assert.deepEqual(learnt(lessonOf(failure, request)), {
      code: 'RATE_LIMITED',
      ...NOTHING,
      health: 'neutral',
    });
});

test('a number of the request joined to a phrase does not make the phrase the provider’s', () => {
  for (const status of [402, 403, 429])
    for (const joined of [
      'limit: 0credit balance is too low',
      '|4070908800credit balance is too low',
    ]) {
      const failure = {
        status,
        body: body(`Rate limited: ${joined}`, { type: 'rate_limit_error' }),
      };
      const { code, isCredit } = lessonOf(failure, JSON.stringify({ user: joined }));
      assert.deepEqual([code, isCredit], ['RATE_LIMITED', false], joined);
    }
});

test('a 429 about a request that is too long to be searched teaches nothing by its message', () => {
  const failure = { status: 429, body: body(IN_2099, { type: 'rate_limit_error' }) };
  const lesson = lessonOf(failure, ' '.repeat(1_100_000));
  assert.deepEqual([lesson.code, lesson.resetAt], ['RATE_LIMITED', undefined]);
});

test('a long request hides neither the limit of a sentence nor its end', () => {
  const message = 'You have used your plan. Usage limit reached, try again in 3 hours.';
  const lesson = lessonOf({ status: 429, body: body(message, {}) }, 'x'.repeat(1_000_000));
  assert.deepEqual([lesson.code, lesson.retryAfterMs], ['AI_LIMIT_REACHED', 10_800_000]);
});

test('the words of a provider in a 429 teach its limit and its end', () => {
  const message = 'You have used your plan. Usage limit reached, try again in 3 hours.';
  const failure = { status: 429, body: body(message, { type: 'rate_limit_error' }) };
  const lesson = lessonOf(failure, JSON.stringify({ messages: [{ content: 'hello' }] }));
  assert.deepEqual([lesson.code, lesson.retryAfterMs], ['AI_LIMIT_REACHED', 10_800_000]);
});

test('JSON inside a message is not read', () => {
  const quoted = body('x', {
    type: 'overloaded_error',
    code: 'insufficient_quota',
    retry_after: 9,
  });
  for (const status of [400, 429, 500]) {
    const failure = { status, body: body(`bad value ${quoted}`, { type: 'api_error' }) };
    const lesson = lessonOf(failure, quoted);
    assert.notEqual(lesson.code, 'AI_LIMIT_REACHED');
    assert.equal(lesson.retryAfterMs, undefined);
  }
});

test('a sentence about one model narrows the limit even if the request contains it', () => {
  const words = 'limit reached for my-model in organization ';
  const failure = {
    status: 402,
    body: body(`Payment required. ${words}x`, { type: 'billing_error' }),
  };
  for (const request of ['', JSON.stringify({ user: words })])
    assert.equal(lessonOf(failure, request).isModelBound, true);
});

test('a request that mentions minutes does not make a limit of a throttle', () => {
  const message = 'Too many tokens per minute. Please try again in 6m0s.';
  const failure = { status: 429, body: body(message, { type: 'rate_limit_error' }) };
  for (const request of ['', JSON.stringify({ user: 'ten words per minute' })])
    assert.equal(lessonOf(failure, request).code, 'RATE_LIMITED');
});

const EVENTS: readonly (readonly [string, object, string])[] = [
  ['an overloaded_error', { type: 'overloaded_error', message: 'Overloaded' }, 'failure'],
  ['an api_error', { type: 'api_error', message: 'Internal' }, 'failure'],
  [
    'an invalid_request_error',
    { type: 'invalid_request_error', message: 'overloaded_error' },
    'neutral',
  ],
  ['an untyped error', { message: 'overloaded_error, try again in 700 hours' }, 'doubtful'],
];

for (const [name, error, health] of EVENTS)
  test(`${name} in a stream is ${health} for the provider's health`, () => {
    const frame = `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`;
    const lesson = lessonOf({ body: Buffer.from(frame) });
    assert.equal(lesson.health, health);
    assert.deepEqual([lesson.retryAfterMs, lesson.resetAt], [undefined, undefined]);
  });

test('an unreadable 200 is doubtful, a 5xx and a lost connection are failures', () => {
  assert.equal(lessonOf({ status: 200, body: '<html>busy</html>' }).health, 'doubtful');
  assert.equal(lessonOf({ status: 200, body: '' }).health, 'doubtful');
  assert.equal(
    lessonOf({ status: 500, body: body('content policy', { type: 'api_error' }) }).health,
    'failure',
  );
  assert.equal(lessonOf({ status: 529, body: '' }).health, 'failure');
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  assert.equal(lessonOf(reset).health, 'failure');
});

test('the caller’s own object in an answer is not entered', () => {
  const metadata = { error: { type: 'overloaded_error', code: 'insufficient_quota' } };
  const lesson = lessonOf({
    status: 200,
    body: JSON.stringify({ id: 'r', metadata, input: metadata }),
  });
  assert.notEqual(lesson.code, 'AI_LIMIT_REACHED');
  assert.notEqual(lesson.health, 'failure');
});

test('a refused content with status 403 is not a refused credential', () => {
  const failure = { status: 403, body: body('Your input was flagged: content policy', {}) };
  const lesson = lessonOf(failure, JSON.stringify({ x: 'content policy' }));
  assert.notEqual(lesson.code, 'AUTH_FAILED');
});

test('a 403 that quotes a limit teaches the refused credential and no limit', () => {
  const said = 'credit balance is too low try again in 700 hours';
  const failure = {
    status: 403,
    body: JSON.stringify({
      error: { type: 'permission_error', message: `${said}: not permitted` },
    }),
  };
  const { verdict, lesson } = judgeProviderError(failure, {
    provider: 'anthropic',
    now: 0,
    callerText: () => said,
  });
  assert.equal(lesson.code, 'AUTH_FAILED', verdict.code);
  assert.deepEqual([lesson.retryAfterMs, lesson.resetAt], [undefined, undefined]);
});

const LARGE = ' '.repeat(1_100_000);

const OF_REQUESTS: readonly (readonly [string, number, string, object])[] = [
  [
    'more tokens than a minute allows (OpenAI)',
    429,
    'Request too large for gpt-4 in organization org-1 on tokens per min (TPM): Limit 10000, Requested 20000.',
    { type: 'tokens', code: 'rate_limit_exceeded' },
  ],
  [
    'more tokens than a minute allows (Groq)',
    413,
    'Request too large for model `x` in organization `y` on tokens per minute (TPM): Limit 6000, Requested 9000',
    { type: 'tokens', code: 'rate_limit_exceeded' },
  ],
  [
    'a long context without the plan for it',
    429,
    'Extra usage is required for long context requests.',
    { type: 'rate_limit_error' },
  ],
  [
    'a long context without credit for it',
    429,
    'Long context requests need usage credits: enable extra usage in your settings.',
    { type: 'rate_limit_error' },
  ],
  [
    'more output than the credit pays for',
    402,
    'This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 1000.',
    { code: 402 },
  ],
];

const OF_ONE_REQUEST: ReadonlySet<string> = new Set(['REQUEST_TOO_LARGE', 'CONTEXT_TOO_LONG']);

for (const [name, status, message, fields] of OF_REQUESTS)
  for (const request of ['', LARGE])
    test(`a ${status} about ${name} teaches no limit, with ${request.length} characters sent`, () => {
      for (const seconds of ['20', '4000']) {
        const headers = { 'retry-after': seconds };
        const lesson = lessonOf({ status, headers, body: body(message, fields) }, request);
        assert.ok(OF_ONE_REQUEST.has(lesson.code), lesson.code);
      }
    });

test('a 429 of a quota for grounding teaches no limit of the account', () => {
  const violation = { quotaId: 'SearchGroundingRequestsPerDayPerProject' };
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [violation] },
  ];
  const error = { code: 429, message: 'Quota exceeded', status: 'RESOURCE_EXHAUSTED', details };
  const lesson = lessonOf({ status: 429, body: JSON.stringify({ error }) });
  assert.equal(lesson.code, 'REQUEST_TOO_LARGE');
});

test('a throttle with headers that state half of every limit as remaining teaches nothing', () => {
  const throttledWith = (remaining: string) =>
    lessonOf({
      status: 429,
      headers: {
        'retry-after': '30',
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-ratelimit-requests-remaining': '49',
        'anthropic-ratelimit-input-tokens-limit': '30000',
        'anthropic-ratelimit-input-tokens-remaining': remaining,
      },
      body: body('This request would exceed your rate limit of 30,000 input tokens per minute', {
        type: 'rate_limit_error',
      }),
    }).code;
  assert.equal(throttledWith('30000'), 'REQUEST_TOO_LARGE');
  assert.equal(throttledWith('2000'), 'RATE_LIMITED');
});

test('a usage limit is learnt, however much of the minute is left', () => {
  const lesson = lessonOf({
    status: 429,
    headers: { 'x-ratelimit-limit-tokens': '100', 'x-ratelimit-remaining-tokens': '100' },
    body: body('You exceeded your current quota.', { code: 'insufficient_quota' }),
  });
  assert.equal(lesson.code, 'AI_LIMIT_REACHED');
});

test('a time that the provider quotes with other spaces or from a tool call is the caller’s', () => {
  const failure = {
    status: 429,
    body: body('Rate limited: try again in 700 hours', { type: 'rate_limit_error' }),
  };
  for (const said of ['try again in\n  700 hours', 'try again in\u00a0700 hours'])
    for (const request of [
      JSON.stringify({ said }),
      JSON.stringify({ arguments: JSON.stringify({ said }).replace('7', '\\u0037') }),
    ]) {
      const lesson = lessonOf(failure, request);
      assert.deepEqual([lesson.code, lesson.retryAfterMs], ['RATE_LIMITED', undefined], request);
    }
});
