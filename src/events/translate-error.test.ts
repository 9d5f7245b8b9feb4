import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from '../errors/redact.ts';
import { translateError } from './translate-error.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const READER = { locale: 'en', timeZone: 'UTC', now: NOW };
const redact = createRedactor(['a-known-secret']);

test("a subscription's limit text becomes a limit with its reset and a sentence", () => {
  const resetAt = NOW + 7_200_000;
  const rawText = `Claude AI usage limit reached|${resetAt / 1000}`;
  const { verdict, error } = translateError(rawText, READER, redact);
  assert.equal(verdict.code, 'AI_LIMIT_REACHED');
  assert.equal(verdict.resetAt, resetAt);
  assert.deepEqual(error.params, { resetTime: resetAt });
  assert.equal(error.internalMessage, rawText);
  assert.doesNotMatch(error.message, /claude|\|\d/i);
  assert.match(error.message, /2:00 PM/);
});

test("an SDK's error as JSON is mapped, and its text for operators is redacted", () => {
  const failure = {
    status: 401,
    error: { type: 'authentication_error', message: 'invalid x-api-key a-known-secret' },
  };
  const { error } = translateError(failure, READER, redact);
  assert.equal(error.code, 'AUTH_FAILED');
  assert.doesNotMatch(error.internalMessage ?? '', /a-known-secret/);
});

test('an error that Spillway answered keeps its code', () => {
  const resetTime = NOW + 60_000;
  const answered = {
    code: 'BUDGET_EXCEEDED',
    params: { resetTime, secret: 'x', spent: 3 },
    message: 'whatever',
    retryable: false,
  };
  const { verdict, error } = translateError(answered, READER, redact);
  assert.equal(error.code, 'BUDGET_EXCEEDED');
  assert.deepEqual(error.params, { resetTime, spent: 3 });
  assert.equal(verdict.resetAt, resetTime);
});

test('a failure of any kind and size gives bounded texts', () => {
  for (const failure of ['x'.repeat(100_000), { a: { b: ['c'] } }, [1, 2], '\u0000\ud800']) {
    const { error } = translateError(failure, READER, redact);
    assert.ok((error.internalMessage ?? '').length <= 8192);
    assert.ok(error.message.length > 0 && error.message.length <= 1000);
    assert.ok(!(error.internalMessage ?? '').includes('\u0000'));
  }
});

test("the sentence is in the reader's language and the organisation's words", () => {
  const reader = { ...READER, locale: 'en', overrides: { INTERNAL: 'Ask Jo.' } };
  assert.equal(translateError({ odd: 1 }, reader, redact).error.message, 'Ask Jo.');
});
