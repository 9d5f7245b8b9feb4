import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  createProviderStrategy,
  PROVIDER_STRATEGIES,
  type StrategyOptions,
} from './provider-strategy.ts';

const OPTIONS: StrategyOptions = {
  strategy: 'FIXED',
  fixedProvider: 'b',
  availableProviders: ['a', 'b', 'c'],
  priorityOrder: [],
  weights: {},
  metadata: {},
};
const IDLE = { loadOf: () => 0 };

function choose(given: Partial<StrategyOptions>) {
  return createProviderStrategy({ ...OPTIONS, ...given });
}

test('FIXED always chooses the same provider', () => {
  assert.deepEqual(choose({})(IDLE), ['b']);
});

test('ROUND_ROBIN starts one provider further each time, and every order contains all providers', () => {
  const order = choose({ strategy: 'ROUND_ROBIN' });
  assert.deepEqual(
    [order(IDLE), order(IDLE), order(IDLE), order(IDLE)].map((each) => each.join('')),
    ['abc', 'bca', 'cab', 'abc'],
  );
  assert.deepEqual(choose({ strategy: 'ROUND_ROBIN', availableProviders: [] })(IDLE), []);
});

test('WEIGHTED meets the weights exactly over each full round, without bursts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 5 }),
      (list) => {
        const weights = Object.fromEntries(list.map((weight, index) => [`p${index}`, weight]));
        const names = Object.keys(weights);
        const order = choose({ strategy: 'WEIGHTED', availableProviders: names, weights });
        const total = list.reduce((sum, weight) => sum + weight, 0);
        for (let round = 0; round < 2; round += 1) {
          const taken = new Map<string, number>();
          for (let turn = 0; turn < total; turn += 1) {
            const first = order(IDLE)[0] ?? '';
            taken.set(first, (taken.get(first) ?? 0) + 1);
          }
          for (const name of names) assert.equal(taken.get(name) ?? 0, weights[name]);
        }
      },
    ),
  );
});

test('WEIGHTED leaves out a provider without a weight', () => {
  assert.deepEqual(choose({ strategy: 'WEIGHTED', weights: { b: 1 } })(IDLE), ['b']);
  assert.deepEqual(choose({ strategy: 'WEIGHTED' })(IDLE), []);
});

test('COST_OPTIMIZED follows the given order of available providers, else the cheapest first and unknown costs last', () => {
  const metadata = { a: { cost: 3 }, c: { cost: 1 } };
  assert.deepEqual(choose({ strategy: 'COST_OPTIMIZED', metadata })(IDLE), ['c', 'a', 'b']);
  const priorityOrder = ['b', 'gone', 'a'];
  assert.deepEqual(choose({ strategy: 'COST_OPTIMIZED', metadata, priorityOrder })(IDLE), [
    'b',
    'a',
  ]);
});

test('QUALITY_FIRST puts the best provider first', () => {
  const metadata = { b: { quality: 9 }, c: { quality: 5 } };
  assert.deepEqual(choose({ strategy: 'QUALITY_FIRST', metadata })(IDLE), ['b', 'c', 'a']);
});

test('LEAST_LOADED puts the least loaded provider first and keeps the order of equal loads', () => {
  const order = choose({ strategy: 'LEAST_LOADED' });
  const loads: Record<string, number> = { a: 5, b: 1, c: 1 };
  assert.deepEqual(order({ loadOf: (name) => loads[name] ?? 0 }), ['b', 'c', 'a']);
});

test('MESSAGE_BASED puts the named provider first and once, then the others', () => {
  const order = choose({ strategy: 'MESSAGE_BASED' });
  assert.deepEqual(order({ ...IDLE, wanted: 'c' }), ['c', 'a', 'b']);
  assert.deepEqual(order(IDLE), ['a', 'b', 'c']);
  const ranked = choose({ strategy: 'MESSAGE_BASED', priorityOrder: ['b', 'a'] });
  assert.deepEqual(ranked({ ...IDLE, wanted: 'a' }), ['a', 'b']);
});

test('no strategy lists a provider twice or mutates its options', () => {
  for (const strategy of PROVIDER_STRATEGIES) {
    const order = choose({ strategy, weights: { a: 1, b: 2 }, priorityOrder: ['c', 'a'] });
    for (const wanted of [undefined, 'a', 'elsewhere']) {
      const names = order({ ...IDLE, wanted });
      assert.equal(new Set(names).size, names.length, strategy);
    }
  }
  assert.deepEqual(OPTIONS.availableProviders, ['a', 'b', 'c']);
});
