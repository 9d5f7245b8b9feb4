import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Limit } from '../../resilience/rate-limiter.ts';
import type { Charge } from '../../upstream/native-route.ts';
import { matchNativeRoute } from '../../upstream/native-route.ts';
import { likelyTokens } from './likely-tokens.ts';
import { planCall } from './plan-call.ts';

const INPUT_BYTES = 4000;
const INPUT_TOKENS = 1000;

function tokensOf(
  stated: { readonly max_tokens?: number },
  limits: readonly Limit[] = [],
  charge: Charge = 'input_and_output',
): number {
  const route = matchNativeRoute('/v1/messages');
  assert.ok(route);
  const empty = { model: 'claude-sonnet-4', ...stated, pad: '' };
  const pad = 'x'.repeat(INPUT_BYTES - JSON.stringify(empty).length);
  const body = Buffer.from(JSON.stringify({ ...empty, pad }));
  const plan = planCall(route, {}, body, {
    resolveTargets: () => ({ outcome: 'targets', targets: [], isAlias: false }),
    isReasoning: () => false,
  });
  return likelyTokens({ ...plan, charge }, limits);
}

function tokenLimit(max: number): Limit {
  return { tier: 'organization', subject: 'o', kind: 'tokens', max, windowMs: 60_000 };
}

test('the estimate is the input by its bytes plus the stated output', () => {
  assert.equal(tokensOf({ max_tokens: 500 }), INPUT_TOKENS + 500);
});

test('a large stated output is capped, and a missing one has a default', () => {
  assert.equal(tokensOf({ max_tokens: 64_000 }), INPUT_TOKENS + 4096);
  assert.equal(tokensOf({}), INPUT_TOKENS + 1024);
});

test('only charged tokens are counted', () => {
  assert.equal(tokensOf({ max_tokens: 500 }, [], 'input'), INPUT_TOKENS);
  assert.equal(tokensOf({ max_tokens: 500 }, [], 'nothing'), 0);
});

test('the estimate of a request whose input fits the limit does not exceed the limit', () => {
  assert.equal(tokensOf({ max_tokens: 4000 }, [tokenLimit(2000)]), 2000);
  const requests: Limit = { ...tokenLimit(5), kind: 'requests' };
  assert.equal(tokensOf({ max_tokens: 4000 }, [requests, tokenLimit(3000)]), 3000);
});

test('an input larger than the limit is counted in full', () => {
  assert.equal(tokensOf({ max_tokens: 10 }, [tokenLimit(100)]), INPUT_TOKENS);
});

test('media is counted by its tokens, and not by the bytes of its base64', () => {
  const route = matchNativeRoute('/v1/messages');
  assert.ok(route);
  const tokens = (media_type: string, bytes: number, limits: readonly Limit[] = []) => {
    const source = { type: 'base64', media_type, data: 'A'.repeat(bytes) };
    const messages = [{ role: 'user', content: [{ type: 'image', source }] }];
    const body = Buffer.from(JSON.stringify({ model: 'claude-sonnet-4', max_tokens: 1, messages }));
    const plan = planCall(route, {}, body, {
      resolveTargets: () => ({ outcome: 'targets', targets: [], isAlias: false }),
      isReasoning: () => false,
    });
    const text = Math.ceil((body.length - bytes) / 4);
    return limits.length > 0 ? likelyTokens(plan, limits) : likelyTokens(plan, []) - text - 1;
  };
  assert.equal(tokens('image/png', 4000), 1000);
  assert.equal(tokens('image/png', 4_000_000), 6000);
  assert.equal(tokens('application/pdf', 160_000), 10_000);
  assert.equal(tokens('application/pdf', 16_000_000), 100_000);
  assert.equal(tokens('text/plain', 160_000), 40_000);
  // A document alone fits any limit.
  assert.equal(tokens('application/pdf', 16_000_000, [tokenLimit(50_000)]), 50_000);
  assert.ok(tokens('text/plain', 16_000_000, [tokenLimit(50_000)]) > 4_000_000);
});
