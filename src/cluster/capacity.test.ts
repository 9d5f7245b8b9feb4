import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CapacityFacts, capacityOf } from './capacity.ts';

const EAST = { provider: 'anthropic', region: 'us-east' };
const SECOND = { ...EAST, account: 'second' };
const WEST = { provider: 'anthropic', region: 'eu-west' };

function capacity(facts: Partial<CapacityFacts>) {
  return capacityOf({
    accounts: [EAST, SECOND, WEST],
    limits: [],
    circuits: [],
    headroom: [],
    ...facts,
  });
}

test('each provider and region is listed once, idle', () => {
  const [east, west] = capacity({});
  assert.deepEqual(east, {
    ...EAST,
    accounts: 2,
    limit: { isActive: false, resetAt: null },
    limits: [],
    breaker: 'closed',
    headroom: null,
    exhaustedAt: null,
  });
  assert.equal(west?.region, 'eu-west');
});

test('a region is limited only when all its accounts are, until the first reset', () => {
  const one = { ...EAST, resetAt: 500, kind: 'learnt' };
  const other = { ...SECOND, resetAt: 300, kind: 'learnt' };
  const model = { ...SECOND, model: 'm', resetAt: 300, kind: 'throttled' };
  assert.deepEqual(capacity({ limits: [one] })[0]?.limit, { isActive: false, resetAt: null });
  assert.deepEqual(capacity({ limits: [one, model] })[0]?.limit.isActive, false);
  assert.deepEqual(capacity({ limits: [one, other] })[0]?.limit, { isActive: true, resetAt: 300 });
  assert.deepEqual(capacity({ limits: [one, model] })[0]?.limits, [
    { account: 'default', model: null, resetAt: 500, kind: 'learnt' },
    { account: 'second', model: 'm', resetAt: 300, kind: 'throttled' },
  ]);
});

test('a breaker is open when the circuits of all accounts are, of all models and organisations', () => {
  const open = [EAST, SECOND].map((key) => ({ key, state: 'open' as const }));
  assert.equal(capacity({ circuits: open })[0]?.breaker, 'open');
  assert.equal(capacity({ circuits: open })[1]?.breaker, 'closed');
  assert.equal(capacity({ circuits: open.slice(1) })[0]?.breaker, 'closed');
  const own = { key: { ...EAST, organization: 'acme' }, state: 'open' as const };
  assert.equal(capacity({ circuits: [own, ...open.slice(1)] })[0]?.breaker, 'closed');
});

test('the scarcest headroom and the earliest exhaustion are shown', () => {
  const reading = (model: string, remainingRatio: number, exhaustedAt?: number) => ({
    key: { ...EAST, account: 'default', model },
    remainingRatio,
    readAt: 1,
    exhaustedAt,
  });
  const [east] = capacity({
    headroom: [reading('a', 0.5, 900), reading('b', 0.1), reading('c', 0.2, 800)],
  });
  assert.deepEqual(east?.headroom, {
    account: 'default',
    model: 'b',
    remainingRatio: 0.1,
    readAt: 1,
  });
  assert.equal(east.exhaustedAt, 800);
});
