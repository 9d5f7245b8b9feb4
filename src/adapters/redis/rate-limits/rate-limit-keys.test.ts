import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Limit, LimitTier } from '../../../resilience/rate-limiter.ts';
import { commonPrefix, rateLimitKeys } from './rate-limit-keys.ts';

const TIERS = ['organization', 'key', 'provider', 'dispatcher'] as const;

function namesWith(prefix: string): string[] {
  const keys = rateLimitKeys(prefix);
  return TIERS.map((tier) => keys.of(limitOf(tier)));
}

function limitOf(tier: LimitTier): Limit {
  return { tier, subject: 'openai', kind: 'requests', max: 1, windowMs: 60_000 };
}

test('each tier has its documented name after the prefix', () => {
  assert.deepEqual(namesWith('spillway:'), [
    'spillway:ratelimit:org:openai',
    'spillway:ratelimit:key:openai',
    'spillway:worker:ratelimit:openai',
    'spillway:dispatcher:ratelimit:openai',
  ]);
});

test('a prefix that ends in ratelimit: is taken whole for the process it names', () => {
  assert.equal(
    rateLimitKeys('worker:ratelimit:').of(limitOf('provider')),
    'worker:ratelimit:openai',
  );
  assert.equal(
    rateLimitKeys('dispatcher:ratelimit:').of(limitOf('dispatcher')),
    'dispatcher:ratelimit:openai',
  );
  assert.equal(rateLimitKeys('app:ratelimit:').of(limitOf('provider')), 'app:ratelimit:openai');
  assert.equal(
    rateLimitKeys('app:ratelimit:').of(limitOf('organization')),
    'app:ratelimit:org:openai',
  );
});

test('no prefix maps two tiers to one key, and processes that share limits share their epoch', () => {
  for (const prefix of ['', 'a:', 'worker:ratelimit:', 'dispatcher:ratelimit:', 'app:ratelimit:'])
    assert.equal(new Set(namesWith(prefix)).size, TIERS.length);
  const { epoch } = rateLimitKeys('app:worker:ratelimit:');
  assert.equal(rateLimitKeys('app:dispatcher:ratelimit:').epoch, epoch);
  assert.equal(rateLimitKeys('app:').epoch, epoch);
});

test('processes with different whole prefixes share all other records', () => {
  const prefixes = ['app:worker:ratelimit:', 'app:dispatcher:ratelimit:', 'app:ratelimit:', 'app:'];
  for (const prefix of prefixes) assert.equal(commonPrefix(prefix), 'app:', prefix);
  assert.equal(commonPrefix('worker:ratelimit:'), '');
});
