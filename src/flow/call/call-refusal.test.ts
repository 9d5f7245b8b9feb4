import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Limit, LimitKind, LimitTier } from '../../resilience/rate-limiter.ts';
import {
  budgetRefusal,
  circuitOpen,
  deadlinePassed,
  limitedUntil,
  overLimit,
} from './call-refusal.ts';

const NOW = 1_800_000_000_000;
const LIMIT = { provider: 'anthropic', region: 'us-east', setBy: 's', setAt: NOW } as const;

function refused(tier: LimitTier, kind: LimitKind, waits: { retryAfterMs?: number }) {
  const limit: Limit = { tier, subject: 'x', kind, max: 5, windowMs: 60_000 };
  const binding = { limit, remaining: 0, resetAt: NOW };
  return overLimit({
    isAllowed: false,
    binding,
    standings: [binding],
    retryAfterMs: waits.retryAfterMs,
  });
}

test('a known limit carries its reset time, a throttle its delay', () => {
  const learnt = limitedUntil({ ...LIMIT, kind: 'learnt', resetAt: NOW + 5000 }, NOW);
  assert.deepEqual(
    [learnt.code, learnt.resetAt, learnt.retryable],
    ['AI_LIMIT_REACHED', NOW + 5000, false],
  );
  const throttled = limitedUntil({ ...LIMIT, kind: 'throttled', resetAt: NOW + 5000 }, NOW);
  assert.equal(throttled.code, 'RATE_LIMITED');
  assert.deepEqual(throttled.params, { scope: 'provider', retryAfterMs: 5000 });
  assert.equal(
    limitedUntil({ ...LIMIT, kind: 'throttled', resetAt: NOW - 5 }, NOW).retryAfterMs,
    1,
  );
});

test('limits of a caller have the scope organization, limits of an account the scope system', () => {
  for (const [tier, scope] of [
    ['organization', 'organization'],
    ['key', 'organization'],
    ['provider', 'system'],
    ['dispatcher', 'system'],
  ] as const)
    assert.deepEqual(refused(tier, 'requests', { retryAfterMs: 70 }).params, {
      scope,
      retryAfterMs: 70,
    });
});

test('a request larger than the limit is too large; a busy concurrency slot is a throttle', () => {
  const large = refused('organization', 'tokens', {});
  assert.deepEqual([large.code, large.params], ['REQUEST_TOO_LARGE', { limit: 5 }]);
  const slot = refused('organization', 'concurrent', {});
  assert.equal(slot.code, 'RATE_LIMITED');
  assert.ok(Number(slot.retryAfterMs) > 0);
});

test('paused work is retried soon', () => {
  const paused = { isAllowed: false, binding: undefined, standings: [] } as const;
  const error = overLimit({ ...paused, retryAfterMs: undefined });
  assert.deepEqual([error.code, error.params.scope], ['RATE_LIMITED', 'system']);
});

test('a spent budget is reported in dollars with its reset; an unavailable store is not', () => {
  const spent = {
    kind: 'exceeded',
    scope: 'organization',
    limitNanos: 10_000_000_000,
    spentNanos: 9_990_000_000,
    resetAt: NOW,
  } as const;
  const refused = budgetRefusal(spent, 50_000_000);
  assert.equal(refused.code, 'BUDGET_EXCEEDED');
  const money = { resetTime: NOW, spent: 9.99, limit: 10 };
  assert.deepEqual(refused.params, { ...money, remaining: 0.01, reserved: 0.05 });
  assert.deepEqual(budgetRefusal(spent, 5_000_000).params, money);
  const away = budgetRefusal({ kind: 'unavailable' }, 0);
  assert.deepEqual([away.code, away.retryable], ['CAPACITY_EXHAUSTED', true]);
});

test('an open circuit and a passed deadline have their own codes', () => {
  assert.deepEqual(circuitOpen('openai', 60_000).params, {
    reason: 'circuit_open',
    retryAfterMs: 60_000,
  });
  assert.deepEqual(deadlinePassed().params, { phase: 'total' });
});
