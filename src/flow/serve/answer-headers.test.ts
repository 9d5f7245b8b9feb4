import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LimitKind, LimitStanding, LimitTier } from '../../resilience/rate-limiter.ts';
import { addStandings, answerHeaders, servedHeaders } from './answer-headers.ts';

const NOW = 1_800_000_000_000;

function standing(
  tier: LimitTier,
  kind: LimitKind,
  remaining: number,
  resetMs: number,
): LimitStanding {
  const limit = { tier, subject: 'x', kind, max: 100, windowMs: 60_000 };
  return { limit, remaining, resetAt: NOW + resetMs };
}

function named(headers: readonly string[]): Record<string, string> {
  const pairs = headers.flatMap((name, at) =>
    at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : [],
  );
  return Object.fromEntries(pairs) as Record<string, string>;
}

function standingHeaders(...standings: LimitStanding[]): Record<string, string> {
  const headers: string[] = [];
  addStandings(headers, standings, NOW);
  return named(headers);
}

const REQUEST = { id: 'req_1', correlationId: undefined };
const FACTS = { contentType: 'application/json', attempts: 2, standings: [], now: NOW };

test('a unary answer states its length and cost, a stream forbids caching', () => {
  const unary = named(
    answerHeaders(REQUEST, 'srv-1', { ...FACTS, length: 12, costNanos: 1_500_000 }),
  );
  assert.deepEqual(unary, {
    'content-type': 'application/json',
    'x-request-id': 'req_1',
    'request-id': 'req_1',
    'x-spillway-served-by': 'srv-1',
    'x-spillway-attempts': '2',
    'content-length': '12',
    'x-spillway-cost-usd': '0.0015',
  });
  const stream = named(answerHeaders(REQUEST, 'srv-1', FACTS));
  assert.equal(stream['cache-control'], 'no-cache');
  assert.equal('content-length' in stream || 'x-spillway-cost-usd' in stream, false);
});

test("the caller's correlation id is echoed beside the request id", () => {
  const headers = named(answerHeaders({ ...REQUEST, correlationId: 'mine' }, 's', FACTS));
  assert.deepEqual([headers['x-request-id'], headers['x-correlation-id']], ['req_1', 'mine']);
});

test("the organisation's limits have the names of the SDKs, with resets in seconds", () => {
  assert.deepEqual(
    standingHeaders(
      standing('organization', 'requests', 99, 12_345),
      standing('organization', 'tokens', 4000, 0),
    ),
    {
      'x-ratelimit-limit-requests': '100',
      'x-ratelimit-remaining-requests': '99',
      'x-ratelimit-reset-requests': '12.345s',
      'x-ratelimit-limit-tokens': '100',
      'x-ratelimit-remaining-tokens': '4000',
      'x-ratelimit-reset-tokens': '0.000s',
    },
  );
});

test('limits of other tiers are omitted, and remaining is never negative', () => {
  assert.deepEqual(standingHeaders(standing('provider', 'requests', 5, 10)), {});
  assert.deepEqual(standingHeaders(standing('key', 'requests', 5, 10)), {});
  assert.deepEqual(standingHeaders(standing('organization', 'concurrent', 5, 10)), {});
  const over = standingHeaders(standing('organization', 'requests', -3, -10));
  assert.equal(over['x-ratelimit-remaining-requests'], '0');
  assert.equal(over['x-ratelimit-reset-requests'], '0.000s');
});

test('failures carry the same server and attempt headers', () => {
  assert.deepEqual(servedHeaders('srv-1', 0), [
    'x-spillway-served-by',
    'srv-1',
    'x-spillway-attempts',
    '0',
  ]);
});
