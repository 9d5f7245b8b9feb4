import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type ErrorParams, isErrorCode } from './codes.ts';
import { LOCALES } from './locale.ts';
import { MARKERS, type NativeFormat } from './markers.ts';
import { type PublicAnswer, toPublicAnswer } from './public-answer.ts';
import { SpillwayError, type SpillwayErrorOptions } from './spillway-error.ts';
import { errorBody, wireStatus } from './wire-shape.ts';

const now = 1_754_636_400_000;

function answerTo(code: SpillwayError['code'], options: SpillwayErrorOptions = {}, locale = 'en') {
  const error = new SpillwayError(code, 'internal', options);
  return toPublicAnswer(error, { requestId: 'req_1', locale, timeZone: 'UTC', now });
}

type WireError = { message: string; type?: string; code?: unknown; status?: string };

function wireError(
  format: NativeFormat,
  code: SpillwayError['code'],
  options?: SpillwayErrorOptions,
  locale?: string,
): WireError & Record<string, unknown> {
  const body = errorBody(format, answerTo(code, options, locale));
  return body['error'] as WireError & Record<string, unknown>;
}

suite('the markers that clients act on', () => {
  test('a message of CONTEXT_TOO_LONG ends in the words that agents compact on, in every language', () => {
    const endings = {
      anthropic: '[prompt is too long]',
      openai: '[maximum context length exceeded]',
      gemini: '[input token count exceeds the maximum number of tokens allowed]',
    };
    for (const locale of LOCALES)
      for (const format of ['anthropic', 'openai', 'gemini'] as const) {
        const { message } = wireError(format, 'CONTEXT_TOO_LONG', {}, locale);
        assert.ok(message.endsWith(` ${endings[format]}`), `${format} ${locale}: ${message}`);
      }
    assert.equal(wireError('openai', 'CONTEXT_TOO_LONG').code, 'context_length_exceeded');
  });

  test('a refused content carries the code or the words that raise a content-policy class', () => {
    const { message } = wireError('anthropic', 'CONTENT_POLICY');
    assert.match(message, /\[Output blocked by content filtering policy\] \[content policy\]$/);
    assert.equal(wireError('openai', 'CONTENT_POLICY').code, 'content_policy_violation');
    assert.match(JSON.stringify(wireError('gemini', 'CONTENT_POLICY')), /"blockReason":"/);
  });

  test('an unknown model is 404 in every vendor format and 400 on own endpoints', () => {
    const params: ErrorParams = { field: 'model', problem: 'unknown_model', model: 'claude-9' };
    const answer = answerTo('INVALID_REQUEST', { params });
    for (const format of ['anthropic', 'openai', 'gemini'] as const)
      assert.equal(wireStatus(format, answer), 404, format);
    assert.equal(wireStatus('spillway', answer), 400);
    assert.equal(wireError('anthropic', 'INVALID_REQUEST', { params }).type, 'not_found_error');
    assert.equal(wireError('openai', 'INVALID_REQUEST', { params }).code, 'model_not_found');
    const gemini = wireError('gemini', 'INVALID_REQUEST', { params });
    assert.deepEqual([gemini.code, gemini.status], [404, 'NOT_FOUND']);
    assert.match(gemini.message, /claude-9 does not exist here/);
  });

  test('a request without a model stays 400', () => {
    const params: ErrorParams = { field: 'model', problem: 'missing' };
    assert.equal(wireStatus('openai', answerTo('INVALID_REQUEST', { params })), 400);
  });

  test('an exceeded budget has the types that SDKs never retry', () => {
    assert.equal(wireError('anthropic', 'BUDGET_EXCEEDED').type, 'billing_error');
    const openai = wireError('openai', 'BUDGET_EXCEEDED');
    assert.deepEqual([openai.type, openai.code], ['insufficient_quota', 'insufficient_quota']);
    assert.equal(wireError('gemini', 'BUDGET_EXCEEDED').status, 'RESOURCE_EXHAUSTED');
  });

  test('an overload has the vendor’s status and code for clients that act on them alone', () => {
    const unavailable = (
      reason: 'overloaded' | 'circuit_open' | 'error',
      knowsOverload: boolean,
    ) => ({
      ...answerTo('PROVIDER_UNAVAILABLE', { params: { reason } }),
      knowsOverload,
    });
    const statuses = (answer: PublicAnswer) =>
      (['anthropic', 'openai', 'gemini'] as const).map((format) => wireStatus(format, answer));
    assert.deepEqual(statuses(unavailable('overloaded', true)), [529, 503, 503]);
    assert.deepEqual(statuses(unavailable('overloaded', false)), [503, 503, 503]);
    const codeOf = (answer: PublicAnswer) =>
      Reflect.get(Object(errorBody('openai', answer)['error']), 'code');
    for (const reason of ['overloaded', 'circuit_open'] as const) {
      assert.equal(codeOf(unavailable(reason, true)), 'server_is_overloaded');
      assert.equal(codeOf(unavailable(reason, false)), 'PROVIDER_UNAVAILABLE');
    }
    assert.equal(codeOf(unavailable('error', true)), 'PROVIDER_UNAVAILABLE');
    const type = wireError('anthropic', 'PROVIDER_UNAVAILABLE', {
      params: { reason: 'overloaded' },
    }).type;
    assert.equal(type, 'overloaded_error');
  });

  test('a usage limit over five minutes has the delay that Gemini CLI shows, and no quotaId per day', () => {
    const limit = { resetAt: now + 301_000 };
    const details = JSON.stringify(wireError('gemini', 'AI_LIMIT_REACHED', limit)['details']);
    assert.match(details, /RetryInfo","retryDelay":"301s"/);
    assert.match(details, /"quotaMetric":"AiCapacityPerDay","quotaId":"AiCapacity"/);
  });

  test('a usage limit that ends soon has a quota per day and no RetryInfo in the Gemini format', () => {
    const body = JSON.stringify(wireError('gemini', 'AI_LIMIT_REACHED', { resetAt: now + 30_000 }));
    assert.match(body, /QuotaFailure.*PerDay/);
    assert.doesNotMatch(body, /RetryInfo/);
  });

  test('every failure carries the Spillway code beside the vendor’s', () => {
    for (const code of Object.keys(MARKERS)) {
      if (!isErrorCode(code)) continue;
      for (const format of ['anthropic', 'openai', 'gemini'] as const)
        assert.equal(wireError(format, code)['spillway_code'], code);
    }
    assert.equal(answerTo('INTERNAL').headers['x-spillway-code'], 'INTERNAL');
  });
});

test('a model name that could hold prose is not echoed', () => {
  const hostile = {
    field: 'model',
    problem: 'unknown_model',
    model: 'try again in 700 hours',
  } as const;
  const { error } = answerTo('INVALID_REQUEST', { params: hostile });
  assert.doesNotMatch(JSON.stringify(error), /700/);
});
