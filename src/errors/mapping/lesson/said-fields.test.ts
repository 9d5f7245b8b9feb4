// Values of a request that a provider returns in typed fields, in whole messages and in names of limits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeProviderError } from '../../map-provider-error.ts';
import { callerTextOf } from './caller-text.ts';
import type { Lesson } from './lesson.ts';

const NOW = 1_800_000_000_000;
const LIMITED: readonly string[] = ['AI_LIMIT_REACHED', 'RATE_LIMITED', 'AUTH_FAILED'];

function lessonOf(failure: unknown, request: object | string, model = 'gpt-4o'): Lesson {
  const text = typeof request === 'string' ? request : JSON.stringify(request);
  const callerText = callerTextOf({ path: '/v1/x', headers: [], body: Buffer.from(text) });
  return judgeProviderError(failure, { now: NOW, model, callerText }).lesson;
}

const refusal = (status: number, error: object) => ({ status, body: JSON.stringify({ error }) });

const CLAIM = { code: 'insufficient_quota', type: 'insufficient_quota', retry_after: 99_999 };
const BALANCE =
  'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.';
const PADDING = ' '.repeat(1_100_000);

for (const status of [200, 400, 404, 409, 413, 422, 500])
  for (const padding of ['', PADDING])
    test(`a ${status} that returns the request's own object teaches nothing (${padding.length} characters more)`, () => {
      const lesson = lessonOf(refusal(status, CLAIM), JSON.stringify({ error: CLAIM }) + padding);
      assert.ok(!LIMITED.includes(lesson.code), lesson.code);
    });

for (const status of [400, 403, 404, 422])
  test(`a ${status} with retry-after that returns names of throttles from the request teaches no throttle`, () => {
    const said = { code: 'rate_limit_exceeded', status: 'RESOURCE_EXHAUSTED' };
    const failure = { ...refusal(status, said), headers: { 'retry-after': '30' } };
    assert.notEqual(lessonOf(failure, { user: said }).code, 'RATE_LIMITED');
    assert.equal(lessonOf(failure, {}).code, 'RATE_LIMITED');
  });

for (const padding of ['', PADDING])
  test(`a 429 that returns the request’s own object teaches no usage limit and no time (${padding.length} characters more)`, () => {
    for (const request of [
      JSON.stringify({ error: CLAIM }),
      JSON.stringify({ error: CLAIM }).replaceAll('"ins', '"\\u0069n\\u0073'),
    ]) {
      const { code, retryAfterMs } = lessonOf(refusal(429, CLAIM), request + padding);
      assert.deepEqual([code, retryAfterMs], ['RATE_LIMITED', undefined]);
    }
  });

test('a code in another spelling of a long request teaches nothing', () => {
  const hidden = '{"tool_choice":"\\u0069nsufficient_quota"}';
  const failure = refusal(400, { message: 'bad value', code: 'insufficient_quota' });
  assert.equal(lessonOf(failure, hidden + PADDING).code, 'INVALID_REQUEST');
});

test('metadata of a detail that repeats labels of the request teaches nothing', () => {
  const labels = { reason: 'API_KEY_INVALID', code: 'QUOTA_EXHAUSTED', retryDelay: '99999s' };
  const details = [{ '@type': 'google.rpc.ErrorInfo', reason: 'LABEL_INVALID', metadata: labels }];
  const failure = refusal(400, { code: 400, status: 'INVALID_ARGUMENT', message: 'x', details });
  assert.equal(lessonOf(failure, { labels }).code, 'INVALID_REQUEST');
});

for (const padding of ['', PADDING])
  test(`a vendor's whole sentence that the request contains teaches nothing (${padding.length} characters more)`, () => {
    const failure = refusal(400, { type: 'invalid_request_error', message: BALANCE });
    const request = JSON.stringify({ user: BALANCE });
    assert.equal(lessonOf(failure, request + padding).code, 'INVALID_REQUEST');
    assert.equal(lessonOf(failure, `{}${padding}`).code, 'AI_LIMIT_REACHED');
  });

test('a model’s name in the name of a limit is no window, and binds the limit to the model', () => {
  const limit = (name: string) => ({
    status: 429,
    headers: { 'retry-after': '10' },
    body: JSON.stringify({ error: { type: 'rate_limit_error', limit_name: name } }),
  });
  const model = 'evil-per-day';
  assert.equal(
    lessonOf(limit(`tokens_per_minute:${model}`), { model }, model).code,
    'RATE_LIMITED',
  );
  const daily = lessonOf(limit(`${model}:requests_per_day`), { model }, model);
  assert.deepEqual([daily.code, daily.isModelBound], ['AI_LIMIT_REACHED', true]);
});

test('a time that a provider quotes behind a colon of its own is the caller’s', () => {
  const failure = refusal(429, { message: 'Too many requests, please wait: 700 hours' });
  const { code, retryAfterMs } = lessonOf(failure, { user: '700 hours' });
  assert.deepEqual([code, retryAfterMs], ['RATE_LIMITED', undefined]);
  assert.equal(lessonOf(failure, {}).retryAfterMs, 2_520_000_000);
});

test('a prompt about an error does not hide it', () => {
  const failure = refusal(429, {
    code: 'insufficient_quota',
    message: 'You exceeded your current quota, please check your plan and billing details.',
  });
  const said = `Why does OpenAI answer this? ${failure.body}`;
  for (const prompt of ['insufficient_quota', said, said + PADDING])
    assert.equal(lessonOf(failure, { prompt }).code, 'AI_LIMIT_REACHED');
});

for (const code of [402, 429, '402', '429'])
  test(`a 400 that returns the ${typeof code} ${code} of the request as its code teaches nothing`, () => {
    const failure = { ...refusal(400, { message: 'bad', code }), headers: { 'retry-after': '30' } };
    assert.equal(lessonOf(failure, { x: code }).code, 'INVALID_REQUEST');
    assert.ok(LIMITED.includes(lessonOf(failure, {}).code));
  });

test('the headers that OpenRouter repeats in the body state the reset, unless the request names them', () => {
  const name = 'X-RateLimit-Reset';
  const headers = {
    'X-RateLimit-Limit': '50',
    'X-RateLimit-Remaining': '0',
    [name]: `${NOW + 60_000}`,
  };
  const message = 'Rate limit exceeded: free-models-per-min.';
  const failure = refusal(429, { message, code: 429, metadata: { headers } });
  assert.equal(lessonOf(failure, {}).resetAt, NOW + 60_000);
  assert.equal(lessonOf(failure, { metadata: { headers: { [name]: '1' } } }).resetAt, undefined);
});

test('a refused content that the overage of a used-up subscription paid for states no limit', () => {
  const prefix = 'anthropic-ratelimit-unified';
  const headers = { [`${prefix}-status`]: 'rejected', [`${prefix}-reset`]: '1800600000' };
  const body = JSON.stringify({ type: 'message', content: [], stop_reason: 'refusal' });
  const { verdict, lesson } = judgeProviderError({ status: 200, headers, body });
  assert.equal(verdict.code, 'CONTENT_POLICY');
  assert.ok(!LIMITED.includes(lesson.code), lesson.code);
  assert.equal(lesson.resetAt, undefined);
  const limited = refusal(429, { type: 'rate_limit_error', message: 'Error' });
  assert.equal(lessonOf({ ...limited, headers }, {}).code, 'AI_LIMIT_REACHED');
});

for (const status of [200, 429, 500, 503])
  for (const seconds of ['30', '600'])
    test(`a ${status} with retry-after ${seconds} that returns a name with several meanings from the request teaches no limit`, () => {
      const headers = { 'retry-after': seconds };
      for (const code of ['quota_exceeded', 'rate_limit_exceeded']) {
        const failure = { ...refusal(status, { code }), headers };
        const { code: taught, retryAfterMs } = lessonOf(failure, { user: code });
        const plain = lessonOf({ ...refusal(status, {}), headers }, {});
        assert.deepEqual([taught, retryAfterMs], [plain.code, plain.retryAfterMs], code);
        assert.ok(LIMITED.includes(lessonOf(failure, { prompt: `What is ${code}?` }).code));
      }
    });

for (const padding of ['', PADDING])
  test(`the name of a limit that the request contains in other case is no window (${padding.length} characters more)`, () => {
    const failure = refusal(429, { quotaMetric: 'dailyLimitOfMine' });
    assert.equal(lessonOf(failure, `{"x":"DailyLimitOfMine"}${padding}`).code, 'RATE_LIMITED');
    assert.equal(lessonOf(failure, `{}${padding}`).code, 'AI_LIMIT_REACHED');
  });

test('a request of any length contains its path', () => {
  const path = '/v1beta/models/x%20daily:generateContent';
  for (const body of [Buffer.from('{}'), Buffer.from(PADDING)]) {
    const callerText = callerTextOf({ path, headers: [], body });
    const failure = refusal(429, { quotaMetric: 'models/x daily' });
    assert.equal(judgeProviderError(failure, { callerText }).lesson.code, 'RATE_LIMITED');
  }
});
