import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFailure } from '../reading/read-failure.ts';
import { findPhrases } from '../text/find-phrases.ts';
import { statedWait } from './find-wait.ts';

function waitOf(headers: Record<string, string>, body: unknown = {}) {
  const reading = readFailure(body, { headers });
  const { retryAfterMs, resetAt } = statedWait(reading, findPhrases(reading.text).waitEnds, {});
  return { retryAfterMs, resetAt };
}

test('sources are trusted in order', () => {
  const text = { error: { message: 'try again in 5s', retry_after: 4 } };
  const exhausted = { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '3s' };
  const delay = (headers: Record<string, string>, body?: unknown) =>
    waitOf(headers, body).retryAfterMs;
  assert.equal(delay({ 'retry-after-ms': '1', 'retry-after': '2', ...exhausted }, text), 1);
  assert.equal(delay({ 'x-ms-retry-after-ms': '1500', 'retry-after': '2' }, text), 1_500);
  assert.equal(delay({ 'retry-after': '2', ...exhausted }, text), 2_000);
  assert.equal(delay(exhausted, text), 4_000);
  assert.equal(delay(exhausted, { message: 'try again in 5s' }), 3_000);
  assert.equal(delay({}, { message: 'try again in 5s' }), 5_000);
});

test('a date in Retry-After is an instant', () => {
  assert.deepEqual(waitOf({ 'retry-after': 'Sun, 27 Sep 2026 10:05:00 GMT' }), {
    retryAfterMs: undefined,
    resetAt: Date.UTC(2026, 8, 27, 10, 5),
  });
});

test('negative, worded and sentinel values are skipped, and zero is kept', () => {
  assert.equal(waitOf({ 'retry-after': '-5' }).retryAfterMs, undefined);
  assert.equal(waitOf({ 'retry-after': 'soon' }).retryAfterMs, undefined);
  assert.equal(waitOf({ 'retry-after-ms': 'x', 'retry-after': '3' }).retryAfterMs, 3_000);
  assert.equal(waitOf({ 'retry-after-ms': '0' }).retryAfterMs, 0);
  const sentinel = { 'x-ratelimit-remaining-tokens': '-1', 'x-ratelimit-reset-tokens': '0' };
  assert.equal(waitOf(sentinel).retryAfterMs, undefined);
});

test('of several exhausted dimensions the latest reset counts', () => {
  const headers = {
    'anthropic-ratelimit-requests-remaining': '0',
    'anthropic-ratelimit-requests-reset': '2026-03-01T10:00:05Z',
    'anthropic-ratelimit-tokens-remaining': '0',
    'anthropic-ratelimit-tokens-reset': '2026-03-01T10:00:41Z',
    'anthropic-ratelimit-output-tokens-remaining': '7',
    'anthropic-ratelimit-output-tokens-reset': '2026-03-01T11:00:00Z',
  };
  assert.equal(waitOf(headers).resetAt, Date.UTC(2026, 2, 1, 10, 0, 41));
});

test('a single reset header counts, as a delay or as an instant', () => {
  assert.equal(waitOf({ 'ratelimit-reset': '30' }).retryAfterMs, 30_000);
  assert.equal(waitOf({ 'x-ratelimit-reset': '1772366460000' }).resetAt, 1_772_366_460_000);
});

test('fields yield a delay and an instant if both are stated', () => {
  const body = { error: { resets_at: 1_772_380_800, resets_in_seconds: 900 } };
  assert.deepEqual(waitOf({}, body), { retryAfterMs: 900_000, resetAt: 1_772_380_800_000 });
});
