import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_CODES, ERROR_TABLE, type ErrorParams } from './codes.ts';
import { type AnswerContext, toPublicAnswer } from './public-answer.ts';
import { SpillwayError, type SpillwayErrorOptions } from './spillway-error.ts';

const now = 1_754_636_400_000;
const context: AnswerContext = { requestId: 'req_1', locale: 'en', timeZone: 'UTC', now };

function answerTo(
  code: SpillwayError['code'],
  options: SpillwayErrorOptions = {},
  more: Partial<AnswerContext> = {},
) {
  return toPublicAnswer(new SpillwayError(code, 'secret words', options), { ...context, ...more });
}

test('every code answers with its status, the request id and a sentence, and without internal text', () => {
  for (const code of ERROR_CODES) {
    const answer = answerTo(code, { cause: new Error('secret cause') });
    assert.equal(answer.status, ERROR_TABLE[code].status);
    assert.equal(answer.headers['x-request-id'], 'req_1');
    assert.ok(answer.error.message.length > 20);
    assert.doesNotMatch(JSON.stringify(answer), /secret/);
  }
});

test('a limit with a known reset carries the wait in every field', () => {
  const { headers, error, retryAfter } = answerTo('AI_LIMIT_REACHED', { resetAt: now + 90_500 });
  assert.deepEqual(headers, {
    'x-request-id': 'req_1',
    'request-id': 'req_1',
    'x-spillway-code': 'AI_LIMIT_REACHED',
    'retry-after': '91',
    'retry-after-ms': '90500',
    'x-rate-limit-type': 'ai-capacity',
    'x-rate-limit-reset': String(now + 90_500),
    'x-should-retry': 'false',
  });
  assert.equal(error.retryAfterMs, 90_500);
  assert.equal(error.params.resetTime, now + 90_500);
  assert.equal(retryAfter, 91);
});

test('a usage limit without a known reset advises 300 s and names no reset', () => {
  const { headers, error } = answerTo('AI_LIMIT_REACHED');
  assert.equal(headers['retry-after'], '300');
  assert.equal(headers['retry-after-ms'], '300000');
  assert.equal(headers['x-rate-limit-reset'], undefined);
  assert.equal(headers['x-should-retry'], 'false');
  assert.equal(error.retryAfterMs, undefined);
});

test('every other refusal without a stated delay invents none', () => {
  for (const code of ERROR_CODES) {
    if (code === 'AI_LIMIT_REACHED') continue;
    const { headers, retryAfter } = answerTo(code);
    assert.equal(headers['retry-after'], undefined, code);
    assert.equal(headers['retry-after-ms'], undefined, code);
    assert.equal(retryAfter, undefined, code);
  }
});

test('the sentence states the wait of the header when it is longer than a moment', () => {
  const sentence = (code: SpillwayError['code'], params: ErrorParams, retryAfterMs: number) =>
    answerTo(code, { params, retryAfterMs }).error.message;
  assert.match(sentence('RATE_LIMITED', { scope: 'provider' }, 2000), /in a moment/);
  assert.match(sentence('RATE_LIMITED', { scope: 'provider' }, 45_000), /in 45 seconds/);
  assert.match(sentence('RATE_LIMITED', { scope: 'system' }, 600_000), /in 10 minutes/);
  assert.match(sentence('PROVIDER_UNAVAILABLE', { reason: 'circuit_open' }, 59_000), /in 1 minute/);
});

test('a client that sleeps on Retry-After gets no Retry-After where a retry is forbidden', () => {
  const open = { params: { reason: 'circuit_open' }, retryAfterMs: 59_000 } as const;
  const sleeper = { sleepsOnRetryAfter: true };
  const { headers } = answerTo('PROVIDER_UNAVAILABLE', open, sleeper);
  assert.equal(headers['x-should-retry'], 'false');
  assert.equal(headers['retry-after'], undefined);
  assert.equal(headers['retry-after-ms'], '59000');
  const short = answerTo('RATE_LIMITED', { retryAfterMs: 2000 }, sleeper);
  assert.equal(short.headers['retry-after'], '2');
  assert.equal(answerTo('PROVIDER_UNAVAILABLE', open).headers['retry-after'], '59');
});

test('a client does not retry an answer that broke off after it had begun', () => {
  const lost = { params: { phase: 'lost' } } as const;
  const { headers } = answerTo('NETWORK_TIMEOUT', { ...lost, isBrokenOff: true });
  assert.equal(headers['x-should-retry'], 'false');
  assert.equal(answerTo('NETWORK_TIMEOUT', lost).headers['x-should-retry'], undefined);
});

test('a reset in the past advises no wait', () => {
  const { headers, error } = answerTo('AI_LIMIT_REACHED', { resetAt: now - 1 });
  assert.equal(headers['retry-after'], '0');
  assert.match(error.message, /try again now/);
});

test('other statuses carry no Retry-After', () => {
  assert.deepEqual(answerTo('INVALID_REQUEST').headers, {
    'x-request-id': 'req_1',
    'request-id': 'req_1',
    'x-spillway-code': 'INVALID_REQUEST',
    'x-should-retry': 'false',
  });
  assert.deepEqual(answerTo('NETWORK_TIMEOUT').headers, {
    'x-request-id': 'req_1',
    'request-id': 'req_1',
    'x-spillway-code': 'NETWORK_TIMEOUT',
  });
});

test('header and sentence agree for every code and wait', () => {
  const params: Partial<Record<SpillwayError['code'], readonly ErrorParams[]>> = {
    RATE_LIMITED: [{ scope: 'organization' }, { scope: 'system' }, { scope: 'provider' }],
    PROVIDER_UNAVAILABLE: [
      { reason: 'overloaded' },
      { reason: 'error' },
      { reason: 'circuit_open' },
    ],
    AI_LIMIT_REACHED: [{}, { reason: 'credit' }],
  };
  for (const code of ERROR_CODES)
    for (const given of params[code] ?? [{}])
      for (const waitMs of [undefined, 1, 900, 5000, 16_000, 59_000, 61_000, 300_000, 7_200_000]) {
        const wait = waitMs === undefined ? {} : { retryAfterMs: waitMs };
        const { status, headers, error, retryAfter } = answerTo(code, { params: given, ...wait });
        const about = `${code} ${JSON.stringify(given)} ${waitMs}: ${error.message}`;
        const seconds = headers['retry-after'];
        const isStated = waitMs !== undefined && (status === 429 || status === 503);
        const isUnknownReset = waitMs === undefined && code === 'AI_LIMIT_REACHED';
        assert.equal(seconds !== undefined, isStated || isUnknownReset, about);
        assert.equal(seconds === undefined, headers['retry-after-ms'] === undefined, about);
        if (seconds !== undefined) assert.equal(Number(seconds), retryAfter, about);
        const stated = statedSeconds(error.message);
        if (stated !== undefined) assert.ok(stated >= (waitMs ?? 0) / 1000 - 1, about);
        if (stated !== undefined) assert.ok(stated <= (waitMs ?? 0) / 1000 + 60, about);
        if (/few minutes/.test(error.message)) assert.ok((waitMs ?? 0) <= 300_000, about);
        if (given.reason === 'credit' && waitMs === undefined)
          assert.doesNotMatch(error.message, /minute/);
      }
});

/** The wait that a sentence states in seconds or minutes. */
function statedSeconds(sentence: string): number | undefined {
  const [, amount, unit] = /in (\d+) (second|minute)/.exec(sentence) ?? [];
  return amount === undefined ? undefined : Number(amount) * (unit === 'minute' ? 60 : 1);
}

test('a client does not retry on top of the retries of the gateway', () => {
  const headersOf = (hasRetried: boolean) =>
    answerTo('PROVIDER_UNAVAILABLE', { params: { reason: 'error' } }, { hasRetried }).headers;
  assert.equal(headersOf(false)['x-should-retry'], undefined);
  assert.equal(headersOf(true)['x-should-retry'], 'false');
});

test('an open circuit makes no SDK sleep for longer than a few seconds', () => {
  const open = (retryAfterMs: number) =>
    answerTo('PROVIDER_UNAVAILABLE', { params: { reason: 'circuit_open' }, retryAfterMs }).headers;
  assert.deepEqual([open(59_000)['retry-after'], open(59_000)['x-should-retry']], ['59', 'false']);
  assert.equal(open(3000)['x-should-retry'], undefined);
});

test('SDKs retry a short throttle and do not sleep through a long one', () => {
  const throttle = (retryAfterMs: number) =>
    answerTo('RATE_LIMITED', { params: { scope: 'provider' }, retryAfterMs }).headers;
  assert.equal(throttle(60_000)['x-should-retry'], undefined);
  assert.equal(throttle(60_001)['x-should-retry'], 'false');
});

test('only refusals for lack of capacity carry x-rate-limit-type', () => {
  const typeOf = (code: SpillwayError['code'], params: ErrorParams) =>
    answerTo(code, { params }).headers['x-rate-limit-type'];
  assert.equal(typeOf('RATE_LIMITED', { scope: 'provider' }), 'ai-capacity');
  assert.equal(typeOf('RATE_LIMITED', { scope: 'system' }), 'ai-capacity');
  assert.equal(typeOf('RATE_LIMITED', { scope: 'organization' }), undefined);
  assert.equal(typeOf('PROVIDER_UNAVAILABLE', { reason: 'circuit_open' }), 'ai-capacity');
  assert.equal(typeOf('PROVIDER_UNAVAILABLE', { reason: 'overloaded' }), undefined);
});

test('`queue` is suggested only if a queue is configured', () => {
  const open = answerTo('AI_LIMIT_REACHED', {}, { queueAvailable: true });
  assert.deepEqual(open.suggestedActions, ['wait', 'queue']);
  assert.equal(open.queueAvailable, true);
  const closed = answerTo('AI_LIMIT_REACHED', {}, { queueAvailable: false });
  assert.deepEqual(closed.suggestedActions, ['wait']);
  assert.equal(closed.queueAvailable, false);
  assert.equal(answerTo('CONTENT_POLICY', {}, { queueAvailable: true }).queueAvailable, undefined);
});

test('parameters that the table does not list, or of the wrong type, are dropped', () => {
  const hostile = { scope: 'claude', retryAfterMs: Number.NaN, field: 'x', secret: 1 };
  const answer = answerTo('RATE_LIMITED', { params: hostile as unknown as ErrorParams });
  assert.deepEqual(answer.error.params, {});
});

test('diagnostics appear only if they were passed in', () => {
  assert.ok(!('diagnostics' in answerTo('INTERNAL').error));
  const answer = answerTo('INTERNAL', {}, { diagnostics: { text: 'raw' } });
  assert.deepEqual(answer.error.diagnostics, { text: 'raw' });
});

test('a background reader gets the paused message', () => {
  const options = { resetAt: now + 600_000 };
  const { error } = answerTo('AI_LIMIT_REACHED', options, { isBackground: true });
  assert.match(error.message, /paused.*10 minutes/);
});
