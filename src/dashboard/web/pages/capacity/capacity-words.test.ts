import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Breaker, ProviderLimit, RegionCapacity } from '../../../api/capacity.ts';
import {
  forecastRatio,
  isOfRegion,
  regionState,
  scopePath,
  shownCircuit,
  shownLimit,
} from './capacity-words.ts';

const region: RegionCapacity = {
  provider: 'anthropic',
  region: 'us-east',
  accounts: 1,
  limit: { isActive: false, resetAt: null },
  limits: [],
  breaker: 'closed',
  headroom: null,
  exhaustedAt: null,
};
const limit: ProviderLimit = {
  provider: 'anthropic',
  region: 'us-east',
  model: null,
  resetAt: 5000,
  setBy: 'admin',
  setAt: 1000,
  kind: 'manual',
  requestId: null,
};
const breaker: Breaker = {
  provider: 'anthropic',
  region: 'us-east',
  organization: null,
  state: 'closed',
  cause: null,
  failuresInWindow: 0,
  callsInWindow: 0,
  successesInHalfOpen: 0,
  openedAt: null,
  nextProbeAt: null,
};

test('the worst fact of a region is its state', () => {
  const headroom = { account: 'default', model: null, remainingRatio: 0.05, readAt: 0 };
  const part = { account: 'default', model: 'm', resetAt: 5000, kind: 'learnt' };
  for (const [change, word] of [
    [{}, 'available'],
    [{ headroom }, 'scarce'],
    [{ exhaustedAt: 9 }, 'scarce'],
    [{ limits: [part], headroom }, 'partly limited'],
    [{ breaker: 'half_open', limits: [part] }, 'probing'],
    [{ breaker: 'open' }, 'circuit open'],
    [{ breaker: 'open', limit: { isActive: true, resetAt: 5000 } }, 'limited'],
  ] as const)
    assert.equal(regionState({ ...region, ...change }).word, word);
});

test('the forecast is the share that is left in a minute', () => {
  const headroom = { account: 'default', model: null, remainingRatio: 0.5, readAt: 0 };
  assert.equal(forecastRatio({ ...region, headroom, exhaustedAt: 120_000 }, 0), 0.25);
  assert.equal(forecastRatio({ ...region, headroom, exhaustedAt: 30_000 }, 0), 0);
  assert.equal(forecastRatio({ ...region, headroom }, 0), undefined);
});

test('labels of accounts, models and organisations belong to their region', () => {
  for (const label of ['us-east', 'us-east/second', 'us-east:model', 'us-east@org'])
    assert.equal(isOfRegion({ provider: 'anthropic', region: label }, region), true, label);
  assert.equal(isOfRegion({ provider: 'anthropic', region: 'us-east-2' }, region), false);
  assert.equal(isOfRegion({ provider: 'openai', region: 'us-east' }, region), false);
});

test('the ring shows the limit of the whole region before that of a model', () => {
  const ofModel = { ...limit, model: 'm', resetAt: 2000 };
  assert.equal(shownLimit(region, [ofModel, limit]), limit);
  assert.equal(shownLimit(region, [ofModel]), ofModel);
  assert.equal(shownLimit(region, []), undefined);
});

test('the diagram shows the circuit that is not closed', () => {
  const open = { ...breaker, region: 'us-east/second', state: 'open' } as const;
  assert.equal(shownCircuit(region, [breaker, open]), open);
});

test('a label is one segment of a path', () => {
  assert.equal(
    scopePath({ provider: 'anthropic', region: 'us-east/a:m' }),
    'anthropic/us-east%2Fa%3Am',
  );
});
