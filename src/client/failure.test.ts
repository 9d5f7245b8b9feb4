import assert from 'node:assert/strict';
import { mock, suite, test } from 'node:test';
import fc from 'fast-check';
import { ERROR_CODES, ERROR_TABLE, type ErrorCode, type ErrorParams } from '../errors/codes.ts';
import { type PublicAnswer, toPublicAnswer } from '../errors/public-answer.ts';
import { SpillwayError } from '../errors/spillway-error.ts';
import { errorBody, errorEvent, type WireFormat, wireStatus } from '../errors/wire-shape.ts';
import { CODES, findFailure, readFailure } from './failure.ts';

const FORMATS: readonly WireFormat[] = ['spillway', 'anthropic', 'openai', 'gemini'];
const NOW = Date.UTC(2026, 0, 5, 12);

function answerOf(code: ErrorCode, params: ErrorParams = {}, retryAfterMs?: number): PublicAnswer {
  const error = new SpillwayError(code, 'internal text', {
    params,
    ...(retryAfterMs && { retryAfterMs }),
  });
  return toPublicAnswer(error, {
    requestId: 'req_1',
    locale: 'en',
    timeZone: 'UTC',
    now: NOW,
    queueAvailable: true,
  });
}

function at<T>(now: number, run: () => T): T {
  mock.timers.enable({ apis: ['Date'], now });
  try {
    return run();
  } finally {
    mock.timers.reset();
  }
}

suite('the table of codes', () => {
  test('has the status and retryability of every code of spillway/errors', () => {
    const expected = ERROR_CODES.map((code) => [
      code,
      ERROR_TABLE[code].retryable ? [ERROR_TABLE[code].status, 1] : [ERROR_TABLE[code].status],
    ]);
    assert.deepEqual(CODES, Object.fromEntries(expected));
  });
});

suite('a sealed error', () => {
  for (const format of FORMATS)
    for (const code of ERROR_CODES)
      test(`${code} is read from the ${format} format with its sentence and advice`, () => {
        const answer = answerOf(code, {}, 7000);
        const headers = new Headers(answer.headers);
        const status = wireStatus(format, answer);
        const body = JSON.stringify(errorBody(format, answer));
        const failure = at(NOW, () => readFailure(body, { status, headers }));
        assert.equal(failure.code, code);
        assert.equal(failure.message, answer.error.message);
        assert.equal(failure.retryable, answer.error.retryable);
        assert.equal(failure.autoRetry, answer.headers['x-should-retry'] !== 'false');
        assert.equal(failure.retryAt, NOW + 7000);
        assert.deepEqual(failure.suggestedActions, answer.suggestedActions ?? []);
        assert.equal(failure.queueAvailable, answer.queueAvailable ?? false);
        assert.equal(failure.requestId, 'req_1');
        assert.equal(failure.partial, false);
      });

  test('has the same parameters in every format', () => {
    const answer = answerOf('BUDGET_EXCEEDED', { resetTime: NOW + 1000, spent: 9.5, limit: 10 });
    for (const format of FORMATS) {
      // Gemini's metadata has the error's own delay among its parameters.
      const { retryAfterMs: _delay, ...params } = readFailure(errorBody(format, answer)).params;
      assert.deepEqual(params, answer.error.params, format);
    }
  });

  test('in a stream is found by its event, and forbids an automatic retry after content', () => {
    for (const format of FORMATS) {
      const event = errorEvent(format, answerOf('PROVIDER_UNAVAILABLE'), { partial: true });
      const data = /^data: (.*)$/m.exec(event)?.[1] ?? '';
      const failure = findFailure(data);
      assert.equal(failure?.code, 'PROVIDER_UNAVAILABLE');
      assert.equal(failure.partial, true);
      assert.equal(failure.autoRetry, false);
    }
  });
});

suite('other carriers of an error', () => {
  const error = {
    code: 'AI_LIMIT_REACHED',
    params: { resetTime: NOW + 60_000 },
    message: 'At 12:01.',
  };

  test('a build event has its error, or none', () => {
    const failure = findFailure({ id: 1, type: 'build_failed', error, error_message: 'At 12:01.' });
    assert.equal(failure?.code, 'AI_LIMIT_REACHED');
    assert.equal(failure.message, 'At 12:01.');
    assert.equal(failure.retryAt, NOW + 60_000);
    assert.equal(failure.retryable, false);
    assert.equal(
      findFailure({ id: 2, type: 'page_done', error: null, error_message: null }),
      undefined,
    );
  });

  test('/api/chat has an error object, and had a bare string that is never shown', () => {
    assert.equal(findFailure({ success: false, error })?.message, 'At 12:01.');
    const old = findFailure({ success: false, error: 'Claude AI usage limit reached|1754636400' });
    assert.equal(old?.code, 'INTERNAL');
    assert.doesNotMatch(old.message, /claude|\|/i);
    assert.equal(findFailure({ success: true, result: { reply: 'Hello' } }), undefined);
  });

  test('a response.failed event and an array of chunks carry theirs inside', () => {
    assert.equal(findFailure({ type: 'response.failed', response: { error } })?.code, error.code);
    assert.equal(findFailure([{ candidates: [] }, { error }])?.code, error.code);
  });

  test('text of another server is classified by status, and its text and codes are dropped', () => {
    for (const [status, code] of [
      [404, 'NOT_FOUND'],
      [418, 'INVALID_REQUEST'],
      [429, 'RATE_LIMITED'],
      [502, 'PROVIDER_UNAVAILABLE'],
      [504, 'NETWORK_TIMEOUT'],
      [599, 'INTERNAL'],
    ] as const) {
      for (const body of ['<html>nginx', '', { error: { code: 'ECONNRESET', message: 'nginx' } }]) {
        const failure = readFailure(body, { status });
        assert.equal(failure.code, code);
        assert.doesNotMatch(failure.message, /nginx/);
      }
    }
    const own = readFailure('', { status: 404, sentence: (code) => `Fehler ${code}` });
    assert.equal(own.message, 'Fehler NOT_FOUND');
  });

  test('never throws on arbitrary values', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        assert.equal(typeof readFailure(value).message, 'string');
        assert.equal(typeof readFailure(JSON.stringify(value)).code, 'string');
      }),
    );
  });
});

suite('the time of a retry', () => {
  function retryAt(headers: Record<string, string>, body: unknown = {}): number | undefined {
    return at(NOW, () => readFailure(body, { status: 429, headers: new Headers(headers) }).retryAt);
  }

  test('is stated by retry-after-ms before all other fields', () => {
    assert.equal(retryAt({ 'retry-after-ms': '1500', 'retry-after': '2' }), NOW + 1500);
    assert.equal(
      retryAt({ 'retry-after': '2' }, { error: { code: 'RATE_LIMITED', retryAfterMs: 1700 } }),
      NOW + 1700,
    );
    assert.equal(retryAt({ 'retry-after': '2' }), NOW + 2000);
    assert.equal(retryAt({ 'retry-after': new Date(NOW + 9000).toUTCString() }), NOW + 9000);
    assert.equal(retryAt({}), undefined);
    assert.equal(retryAt({ 'retry-after': '-5' }), undefined);
  });

  test("is corrected by the difference between the server's clock and the device's", () => {
    const error = { code: 'AI_LIMIT_REACHED', params: { resetTime: NOW + 3_600_000 + 60_000 } };
    const date = new Date(NOW + 3_600_000).toUTCString();
    assert.equal(retryAt({ date }, { error }), NOW + 60_000);
  });

  test('of a delay in an event counts from the event', () => {
    const value = { code: 'RATE_LIMITED', params: { retryAfterMs: 5000 }, message: 'Busy.' };
    assert.equal(findFailure(value, { since: NOW - 2000 })?.retryAt, NOW + 3000);
  });
});
