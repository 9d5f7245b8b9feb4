import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Limit, PermitAsk } from '../../../resilience/rate-limiter.ts';
import { ObservedLimits } from './observed-limits.ts';
import { SafeShare } from './safe-share.ts';

const MINUTE_MS = 60_000;
const NOW = 1_000_000;

function limitOf(max: number, kind: Limit['kind'] = 'requests'): Limit {
  return { tier: 'organization', subject: 'o', kind, max, windowMs: MINUTE_MS };
}

function askFor(limit: Limit, tokens = 0): PermitAsk {
  return { id: 'a', limits: [limit], tokens, expiresMs: 1000 };
}

function shareOf(limit: Limit, remaining: number, servers: number): SafeShare {
  const observed = new ObservedLimits(() => 'key');
  observed.observe(limit, limit.max - remaining, remaining, NOW);
  return new SafeShare(observed, servers, [], NOW);
}

test('an empty share refuses with the time when it grows, not as too large for the limit', () => {
  const limit = limitOf(40);
  const share = shareOf(limit, 0, 3);
  const decision = share.take(askFor(limit), NOW + 10_000);
  assert.ok(!decision.isAllowed);
  assert.equal(decision.retryAfterMs, 50_000);
  // 0.8 × 40 ÷ 3, rounded down.
  const later = Array.from({ length: 12 }, () => share.take(askFor(limit), NOW + MINUTE_MS + 1));
  assert.equal(later.filter(({ isAllowed }) => isAllowed).length, 10);
});

test('a share that stays empty refuses with a short retry time', () => {
  const limit = limitOf(2);
  const decision = shareOf(limit, 2, 3).take(askFor(limit), NOW + 2 * MINUTE_MS);
  assert.ok(!decision.isAllowed);
  assert.equal(decision.retryAfterMs, 1000);
});

test('an ask above the whole limit has no retry time', () => {
  const limit = limitOf(1000, 'tokens');
  const share = shareOf(limit, 1000, 2);
  const large = share.take(askFor(limit, 1001), NOW);
  assert.ok(!large.isAllowed);
  assert.equal(large.retryAfterMs, undefined);
  const fitting = share.take(askFor(limit, 900), NOW);
  assert.ok(!fitting.isAllowed);
  assert.equal(fitting.retryAfterMs, MINUTE_MS);
});

test('a share that was given up is not granted again within the window, unless the limit was observed since', () => {
  const limit = limitOf(100);
  const observed = new ObservedLimits(() => 'key');
  const first = new SafeShare(observed, 4, [], NOW);
  assert.ok(first.take(askFor(limit), NOW).isAllowed);
  assert.deepEqual(observed.release(first.since, NOW + 1000, 10), [limit]);

  const unobserved = new SafeShare(observed, 4, [], NOW + 2000);
  assert.ok(!unobserved.take(askFor(limit), NOW + 2000).isAllowed);
  assert.ok(unobserved.take(askFor(limit), NOW + 2000 + MINUTE_MS).isAllowed);

  observed.observe(limit, 90, 10, NOW + 3000);
  const later = new SafeShare(observed, 4, [], NOW + 4000);
  const asks = Array.from({ length: 5 }, () => later.take(askFor(limit), NOW + 4000));
  assert.equal(asks.filter(({ isAllowed }) => isAllowed).length, 2);
});
