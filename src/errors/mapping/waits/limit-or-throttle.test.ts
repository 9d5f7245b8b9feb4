import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitOrThrottle } from './limit-or-throttle.ts';

const none = { isShort: false, isLong: false, hasUnreliableDelay: false };
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

test('an unreliable delay does not shorten a limit', () => {
  const untrue = { ...long, hasUnreliableDelay: true };
  assert.equal(limitOrThrottle('throttle', untrue, { retryAfterMs: 12_000 }, undefined), 'limit');
});

test('without a window five minutes decide; without a delay the text decides', () => {
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

test('a distant reset makes a limit; a near or past one does not make a throttle', () => {
  const now = Date.UTC(2026, 2, 1);
  const at = (ms: number) => ({ resetAt: now + ms });
  assert.equal(limitOrThrottle('throttle', none, at(10 * minutes), now), 'limit');
  assert.equal(limitOrThrottle('throttle', none, at(minutes), now), 'throttle');
  assert.equal(limitOrThrottle('limit', none, at(minutes), now), 'limit');
  assert.equal(limitOrThrottle('limit', none, at(-minutes), now), 'limit');
});
