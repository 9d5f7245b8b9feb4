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

test('fixed is always the same one', () => {
  assert.deepEqual(choose({})(IDLE), ['b']);
});

test('round-robin begins one further each time and has everybody in every order', () => {
  const order = choose({ strategy: 'ROUND_ROBIN' });
  assert.deepEqual(
    [order(IDLE), order(IDLE), order(IDLE), order(IDLE)].map((each) => each.join('')),
    ['abc', 'bca', 'cab', 'abc'],
  );
  assert.deepEqual(choose({ strategy: 'ROUND_ROBIN', availableProviders: [] })(IDLE), []);
});

test('weights are kept exactly over each full round, without bursts', () => {
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

test('a provider without a weight is not asked', () => {
  assert.deepEqual(choose({ strategy: 'WEIGHTED', weights: { b: 1 } })(IDLE), ['b']);
  assert.deepEqual(choose({ strategy: 'WEIGHTED' })(IDLE), []);
});

test('cost: the given order, of those that are there; else the cheapest first, unknown last', () => {
  const metadata = { a: { cost: 3 }, c: { cost: 1 } };
  assert.deepEqual(choose({ strategy: 'COST_OPTIMIZED', metadata })(IDLE), ['c', 'a', 'b']);
  const priorityOrder = ['b', 'gone', 'a'];
  assert.deepEqual(choose({ strategy: 'COST_OPTIMIZED', metadata, priorityOrder })(IDLE), [
    'b',
    'a',
  ]);
});

test('quality: the best first', () => {
  const metadata = { b: { quality: 9 }, c: { quality: 5 } };
  assert.deepEqual(choose({ strategy: 'QUALITY_FIRST', metadata })(IDLE), ['b', 'c', 'a']);
});

test('load: the idlest first, in their order where they are equal', () => {
  const order = choose({ strategy: 'LEAST_LOADED' });
  const loads: Record<string, number> = { a: 5, b: 1, c: 1 };
  assert.deepEqual(order({ loadOf: (name) => loads[name] ?? 0 }), ['b', 'c', 'a']);
});

test('by message: what is wanted comes first and once, then the others', () => {
  const order = choose({ strategy: 'MESSAGE_BASED' });
  assert.deepEqual(order({ ...IDLE, wanted: 'c' }), ['c', 'a', 'b']);
  assert.deepEqual(order(IDLE), ['a', 'b', 'c']);
  const ranked = choose({ strategy: 'MESSAGE_BASED', priorityOrder: ['b', 'a'] });
  assert.deepEqual(ranked({ ...IDLE, wanted: 'a' }), ['a', 'b']);
});

test('no strategy names anybody twice or changes what it was given', () => {
  for (const strategy of PROVIDER_STRATEGIES) {
    const order = choose({ strategy, weights: { a: 1, b: 2 }, priorityOrder: ['c', 'a'] });
    for (const wanted of [undefined, 'a', 'elsewhere']) {
      const names = order({ ...IDLE, wanted });
      assert.equal(new Set(names).size, names.length, strategy);
    }
  }
  assert.deepEqual(OPTIONS.availableProviders, ['a', 'b', 'c']);
});
