// Refusals with a phrase that a value of the request may complete teach no limit; refusals whose phrase only occurs in the middle
// of a prompt still teach one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeProviderError } from '../../map-provider-error.ts';
import { callerTextOf } from './caller-text.ts';
import type { Lesson } from './lesson.ts';

function lessonOf(message: string, request: object, status = 429, headers: object = {}): Lesson {
  const body = Buffer.from(JSON.stringify(request));
  const callerText = callerTextOf({ path: '/v1/chat/completions', headers: [], body });
  const failure = { status, headers, body: JSON.stringify({ error: { message } }) };
  return judgeProviderError(failure, { now: 1_800_000_000_000, callerText }).lesson;
}

const JOINED: readonly (readonly [sentence: string, words: string])[] = [
  ['Rate limited. You exceeded {x}', 'your current quota'],
  ['Rate limited. You exceeded {x}', 'vendor/your-current-quota'],
  ['Rate limited. You exceeded {x}', 'your\\u0020current, quota of more'],
  ['Rate limited. {x} has been exhausted', 'my quota'],
  ['Rate limited. The usage {x} reached', 'limit'],
  ['Rate limited. {x}s reached', 'usage limit'],
  ['Rate limited for 3 requests per {x}', 'day'],
];

for (const [sentence, words] of JOINED)
  test(`"${words}" in "${sentence}" teaches no usage limit`, () => {
    const message = sentence.replace(
      '{x}',
      words.replaceAll('\\u0020', ' ').split('/').at(-1) ?? '',
    );
    for (const request of [{ user: words }, { metadata: { note: words } }]) {
      const lesson = lessonOf(
        message,
        JSON.parse(JSON.stringify(request).replaceAll('\\\\', '\\')),
      );
      assert.equal(lesson.code, 'RATE_LIMITED');
    }
    assert.equal(lessonOf(message, { user: 'plain' }).code, 'AI_LIMIT_REACHED');
  });

for (const [sentence, words] of [
  ['Too many requests. Please try again in {x}', '700 hours'],
  ['Too many requests. Please try again in {x}s', '9999'],
  ['Too many requests until {x}', '2027-03-01'],
  ['Too many requests, {x} in 20 hours', 'try again'],
  ['Too many requests, try again {x} hours', 'in twenty'],
] as const)
  test(`"${words}" in "${sentence}" teaches no time`, () => {
    const { retryAfterMs, resetAt } = lessonOf(sentence.replace('{x}', words), { user: words });
    assert.deepEqual([retryAfterMs, resetAt], [undefined, undefined]);
  });

test('a throttle that the request quotes makes no usage limit of another word of the provider', () => {
  const message = 'Too many requests. See your quota.';
  assert.equal(lessonOf(message, { user: 'plain' }).code, 'RATE_LIMITED');
  assert.equal(lessonOf(message, { user: 'too many requests' }).code, 'REQUEST_TOO_LARGE');
});

test('a short time that the request quotes hides no short time behind which another one follows', () => {
  const message = 'Usage limit reached, try again in 5 minutes. All limits are lifted in 20 days.';
  assert.equal(lessonOf(message, { user: 'plain' }).retryAfterMs, 300_000);
  assert.equal(lessonOf(message, { user: 'try again in 5' }).retryAfterMs, 300_000);
});

const PROMPT =
  'Why do I meet a rate limit? It says "try again in 20 seconds", and my quota is fine. What is my current quota, and which limit is reached?';
const TOOL = { name: 'read', input_schema: { properties: { limit: {}, usage: {}, tokens: {} } } };

for (const [message, code, retryAfterMs] of [
  ['You exceeded your current quota, please check your plan.', 'AI_LIMIT_REACHED', undefined],
  ['Usage limit reached, try again in 1h0m0s.', 'AI_LIMIT_REACHED', 3_600_000],
  ['Usage limit reached, try again in 3 hours.', 'AI_LIMIT_REACHED', 10_800_000],
  ['Your quota has been exhausted.', 'AI_LIMIT_REACHED', undefined],
  ['Key limit exceeded (total limit).', 'AI_LIMIT_REACHED', undefined],
  ['Rate limit reached for gpt-4o. Please try again in 30s.', 'RATE_LIMITED', 30_000],
  ['Too many tokens per minute. Please try again in 45 seconds.', 'RATE_LIMITED', 45_000],
] as const)
  test(`"${message}" teaches its limit to a request about limits, with tools and numbers`, () => {
    const request = {
      model: 'gpt-4o',
      max_tokens: 4096,
      temperature: 1,
      messages: [{ role: 'user', content: PROMPT }],
      tools: [TOOL],
    };
    const lesson = lessonOf(message, request);
    assert.deepEqual([lesson.code, lesson.retryAfterMs], [code, retryAfterMs]);
  });

test('a request with more values than are searched teaches nothing by the sentence of its refusal', () => {
  const message = 'Usage limit reached, try again in 3 hours.';
  assert.equal(lessonOf(message, { input: Array(40_000).fill(11) }).code, 'AI_LIMIT_REACHED');
  assert.equal(lessonOf(message, { input: Array(60_000).fill(11) }).code, 'RATE_LIMITED');
});
