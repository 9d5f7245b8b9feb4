import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeaturePrices, type PricedFeatures } from './feature-prices.ts';
import { type PriceList, priceStep } from './price-list.ts';

const NONE: PricedFeatures = { tiers: [], tools: [], outputs: [] };
const SEARCH = { field: 'tools[0].type', kind: 'web_search', isFree: false, model: undefined };

function list(toolNanos: Record<string, number> = {}, imageOutput?: number): PriceList {
  const step = priceStep(-1, { input: 1_000_000, output: 2_000_000, media: { imageOutput } });
  return { steps: [step], requestNanos: 0, toolNanos };
}

test('a tier costs its factor, and an unknown one the standard price', () => {
  const features = new FeaturePrices({ tiers: { priority: 1.75, flex: 0.5 } });
  assert.equal(features.atTiers(1001, { service_tier: 'priority' }), 1752);
  assert.equal(features.atTiers(1001, { service_tier: 'standard' }), 1001);
  assert.equal(features.atTiers(1000, { service_tier: 'flex', speed: 'priority' }), 875);
});

test('the reservation never falls below the standard price', () => {
  const features = new FeaturePrices({ tiers: { priority: 2, flex: 0.5 } });
  assert.equal(features.atMost(1000, [{ tier: 'flex' }]), 1000);
  assert.equal(features.atMost(1000, [{ tier: 'priority' }]), 2000);
});

test('the field of a feature without a price is found', () => {
  const features = new FeaturePrices({ tiers: { flex: 0.5 }, toolsUsd: { code_execution: 0.05 } });
  const find = (asked: Partial<PricedFeatures>, prices = list()) =>
    features.findUnpriced(prices, { ...NONE, ...asked });
  assert.equal(find({ tiers: [{ field: 'service_tier', tier: 'flex' }] }), undefined);
  assert.equal(find({ tiers: [{ field: 'speed', tier: 'fast' }] }), 'speed');
  assert.equal(find({ tools: [SEARCH] }), 'tools[0].type');
  assert.equal(find({ tools: [{ ...SEARCH, isFree: true }] }), undefined);
  assert.equal(find({ tools: [SEARCH] }, list({ web_search: 5 })), undefined);
  assert.equal(find({ tools: [{ ...SEARCH, kind: 'code_execution' }] }), undefined);
  const images = [{ field: 'modalities', modality: 'image' }];
  assert.equal(find({ outputs: images }), 'modalities');
  assert.equal(find({ outputs: images }, list({}, 9_000_000)), undefined);
});

test('a tool that names a model needs a price of the operator', () => {
  const tool = { ...SEARCH, model: 'claude-opus-4-6' };
  const asked = { ...NONE, tools: [tool] };
  const listed = list({ web_search: 5 });
  assert.equal(new FeaturePrices().findUnpriced(listed, asked), 'tools[0].model');
  const priced = new FeaturePrices({ toolsUsd: { web_search: 0.01 } });
  assert.equal(priced.findUnpriced(listed, asked), undefined);
});
