import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitOrThrottle } from './limit-or-throttle.ts';

const none = { isShort: false, isLong: false, hasUntrueDelay: false };
const short = { ...none, isShort: true };
const long = { ...none, isLong: true };
const minutes = 60_000;

test('a window of minutes is a throttle, however long the delay', () => {
  assert.equal(limitOrThrottle('limit', short, {}, undefined), 'throttle');
  assert.equal(
    limitOrThrottle('throttle', short, { retryAfterMs: 6 * minutes }, undefined),
    'throttle',
  );
});

test('a long window is a limit unless the delay is five minutes or less', () => {
  assert.equal(limitOrThrottle('throttle', long, {}, undefined), 'limit');
  assert.equal(
    limitOrThrottle('throttle', long, { retryAfterMs: 5 * minutes }, undefined),
    'throttle',
  );
  assert.equal(
    limitOrThrottle('limit', long, { retryAfterMs: 5 * minutes + 1 }, undefined),
    'limit',
  );
});

test('a delay that is not true does not shorten a limit', () => {
  const untrue = { ...long, hasUntrueDelay: true };
  assert.equal(limitOrThrottle('throttle', untrue, { retryAfterMs: 12_000 }, undefined), 'limit');
});

test('without a window five minutes decide, and without a delay the words', () => {
  assert.equal(
    limitOrThrottle('limit', none, { retryAfterMs: 5 * minutes }, undefined),
    'throttle',
  );
  assert.equal(
    limitOrThrottle('throttle', none, { retryAfterMs: 6 * minutes }, undefined),
    'limit',
  );
  assert.equal(limitOrThrottle('limit', none, {}, undefined), 'limit');
  assert.equal(limitOrThrottle('throttle', none, {}, undefined), 'throttle');
});

test('a moment far ahead makes a limit, and one that is near or past makes no throttle', () => {
  const now = Date.UTC(2026, 2, 1);
  const at = (ms: number) => ({ resetAt: now + ms });
  assert.equal(limitOrThrottle('throttle', none, at(10 * minutes), now), 'limit');
  assert.equal(limitOrThrottle('throttle', none, at(minutes), now), 'throttle');
  assert.equal(limitOrThrottle('limit', none, at(minutes), now), 'limit');
  assert.equal(limitOrThrottle('limit', none, at(-minutes), now), 'limit');
});
