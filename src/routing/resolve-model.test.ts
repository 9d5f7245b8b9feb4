import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createModelResolver } from './resolve-model.ts';
import type { RoutableProvider } from './target.ts';

function provider(name: string, given: Partial<RoutableProvider> = {}): RoutableProvider {
  return {
    name,
    format: 'openai',
    baseUrl: `https://${name}.example/v1/`,
    region: 'global',
    accounts: [{ name: 'main', apiKey: `key-of-${name}` }],
    models: [],
    ...given,
  };
}

const RESOLVE = createModelResolver([
  provider('openai', { models: ['gpt-*', 'o*'] }),
  provider('anthropic', {
    format: 'anthropic',
    models: ['claude-*'],
    baseUrl: 'https://a.example',
  }),
  provider('local', { models: ['openhermes-*', '*-local-*'] }),
  provider('keyless', { models: ['grok-*'], accounts: [] }),
]);

function providerOf(model: string): string {
  const resolution = RESOLVE(model);
  return resolution.outcome === 'target' ? resolution.target.provider : resolution.outcome;
}

test('a name goes to whoever claims it, and the longest claim wins', () => {
  assert.equal(providerOf('gpt-5'), 'openai');
  assert.equal(providerOf('claude-sonnet'), 'anthropic');
  assert.equal(providerOf('openhermes-2'), 'local');
  assert.equal(providerOf('o3'), 'openai');
  assert.equal(providerOf('a-local-b'), 'local');
});

test('a target is all that a call must know, and cannot be changed', () => {
  const resolution = RESOLVE('gpt-5');
  assert.ok(resolution.outcome === 'target');
  assert.deepEqual(resolution.target, {
    provider: 'openai',
    account: 'main',
    region: 'global',
    format: 'openai',
    model: 'gpt-5',
    origin: 'https://openai.example',
    basePath: '/v1',
    apiKey: 'key-of-openai',
  });
  assert.ok(Object.isFrozen(resolution.target));
  const plain = RESOLVE('claude-x');
  assert.equal(plain.outcome === 'target' && plain.target.basePath, '');
});

test('provider/model says it itself; other slashes belong to the name', () => {
  const named = RESOLVE('local/gpt-5');
  assert.ok(named.outcome === 'target');
  assert.deepEqual([named.target.provider, named.target.model], ['local', 'gpt-5']);
  const nested = RESOLVE('local/meta/llama');
  assert.equal(nested.outcome === 'target' && nested.target.model, 'meta/llama');
  assert.equal(providerOf('gpt-x/y'), 'openai');
  for (const name of ['local/', '/gpt-5', 'nobody/x', '', '/', '__proto__/x', 'constructor'])
    assert.equal(providerOf(name), 'unknown_model', name);
});

test('a provider without a key is told from a model nobody knows', () => {
  assert.deepEqual(RESOLVE('grok-4'), { outcome: 'no_key', provider: 'keyless' });
  assert.deepEqual(RESOLVE('keyless/x'), { outcome: 'no_key', provider: 'keyless' });
});

test('a pattern means what the same pattern means with `.*` for each star', () => {
  const letters = fc.constantFrom('a', 'b', '-', '*', '.');
  const pattern = fc.string({ unit: letters, maxLength: 8 });
  const name = fc.string({
    unit: fc.constantFrom('a', 'b', '-', '.'),
    minLength: 1,
    maxLength: 10,
  });
  fc.assert(
    fc.property(pattern, name, (claimed, asked) => {
      const resolve = createModelResolver([provider('p', { models: [claimed] })]);
      const oracle = new RegExp(
        `^${claimed
          .split('*')
          .map((part) => RegExp.escape(part))
          .join('.*')}$`,
      );
      assert.equal(resolve(asked).outcome === 'target', oracle.test(asked));
    }),
    { numRuns: 500 },
  );
});

test('what is remembered of names is what would be said anew, however many there are', () => {
  for (let index = 0; index < 5000; index += 1) assert.equal(providerOf(`gpt-${index}`), 'openai');
  assert.equal(providerOf('gpt-1'), 'openai');
  assert.equal(RESOLVE('gpt-4999'), RESOLVE('gpt-4999'));
});
