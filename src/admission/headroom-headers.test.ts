import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { hasHeadroom, readHeadroom } from './headroom-headers.ts';

const NOW = Date.UTC(2026, 0, 15, 12);

test('Anthropic’s headers give a gauge for each dimension', () => {
  const gauges = readHeadroom(
    {
      'anthropic-ratelimit-requests-limit': '4000',
      'anthropic-ratelimit-requests-remaining': '3999',
      'anthropic-ratelimit-requests-reset': '2026-01-15T12:00:01Z',
      'anthropic-ratelimit-tokens-limit': '480000',
      'anthropic-ratelimit-tokens-remaining': '470000',
      'anthropic-ratelimit-tokens-reset': '2026-01-15T12:00:02.5Z',
      'anthropic-ratelimit-input-tokens-limit': '400000',
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': '2026-01-15T13:00:30+01:00',
      'anthropic-ratelimit-output-tokens-limit': '80000',
      'anthropic-ratelimit-output-tokens-remaining': '80000',
    },
    NOW,
  );
  assert.deepEqual(gauges, {
    requests: { limit: 4000, remaining: 3999, resetAt: NOW + 1000 },
    tokens: { limit: 480_000, remaining: 470_000, resetAt: NOW + 2500 },
    inputTokens: { limit: 400_000, remaining: 0, resetAt: NOW + 30_000 },
    outputTokens: { limit: 80_000, remaining: 80_000, resetAt: undefined },
  });
});

test('OpenAI’s headers give resets from durations, plain seconds and timestamps', () => {
  for (const [text, ms] of [
    ['6m0s', 360_000],
    ['120ms', 120],
    ['1h2m3.5s', 3_723_500],
    ['7', 7000],
    ['0.25', 250],
    ['2026-01-15T12:00:09Z', 9000],
  ] as const) {
    const headers = {
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-reset-requests': text,
    };
    const requests = { limit: 60, remaining: 59, resetAt: NOW + ms };
    assert.deepEqual(readHeadroom(headers, NOW), { requests });
  }
});

test('a single dimension is enough for a reading', () => {
  const names = ['requests', 'tokens', 'input-tokens', 'output-tokens'];
  const anthropic = names.map((name) => `anthropic-ratelimit-${name}-remaining`);
  const openai = ['x-ratelimit-remaining-requests', 'x-ratelimit-remaining-tokens'];
  for (const name of [...anthropic, ...openai]) {
    const headers = { [name]: '1', [name.replace('remaining', 'limit')]: '2' };
    assert.equal(hasHeadroom(headers), true);
    assert.equal(Object.keys(readHeadroom(headers, NOW) ?? {}).length, 1);
  }
  assert.equal(hasHeadroom({ 'content-type': 'application/json' }), false);
});

test('missing headers, sentinels and invalid numbers give no reading', () => {
  assert.equal(readHeadroom({ 'content-type': 'application/json' }, NOW), undefined);
  for (const remaining of ['-1', '', 'many', '1e3', '0x10', '1.5', '9'.repeat(16)]) {
    const headers = {
      'x-ratelimit-limit-tokens': '100',
      'x-ratelimit-remaining-tokens': remaining,
    };
    assert.equal(readHeadroom(headers, NOW), undefined);
  }
  const noLimit = { 'x-ratelimit-limit-tokens': '0', 'x-ratelimit-remaining-tokens': '0' };
  assert.equal(readHeadroom(noLimit, NOW), undefined);
});

test('any header values give numbers within the limit, or no reading', () => {
  const value = fc.oneof(fc.string(), fc.nat().map(String), fc.array(fc.string()));
  const name = fc.constantFrom(
    'x-ratelimit-limit-tokens',
    'x-ratelimit-remaining-tokens',
    'x-ratelimit-reset-tokens',
    'anthropic-ratelimit-tokens-limit',
    'anthropic-ratelimit-tokens-remaining',
    'anthropic-ratelimit-tokens-reset',
  );
  fc.assert(
    fc.property(fc.dictionary(name, value), (headers) => {
      const gauges = readHeadroom(headers, NOW);
      assert.ok(hasHeadroom(headers) || !gauges);
      const tokens = gauges?.tokens;
      if (!tokens) return;
      assert.ok(tokens.limit > 0 && tokens.remaining >= 0 && tokens.remaining <= tokens.limit);
      assert.ok(tokens.resetAt === undefined || Number.isFinite(tokens.resetAt));
    }),
  );
});
