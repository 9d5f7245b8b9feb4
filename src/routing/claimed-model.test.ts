import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFindClaim } from './claimed-model.ts';
import type { RoutableProvider } from './target.ts';

function provider(name: string, models: readonly string[]): RoutableProvider {
  const baseUrl = `https://${name}.example/v1`;
  return { name, format: 'openai', baseUrl, region: 'global', accounts: [], models };
}

const FIND = createFindClaim([
  provider('openai', ['gpt-*', 'o*']),
  provider('anthropic', ['claude-*']),
  provider('local', ['openhermes-*', '*-local-*']),
]);

function claimOf(name: string): string | undefined {
  const claim = FIND(name);
  return claim && `${claim.provider.name} ${claim.model}`;
}

test('a name belongs to the provider with the longest matching pattern', () => {
  assert.equal(claimOf('gpt-5'), 'openai gpt-5');
  assert.equal(claimOf('claude-sonnet'), 'anthropic claude-sonnet');
  assert.equal(claimOf('openhermes-2'), 'local openhermes-2');
  assert.equal(claimOf('o3'), 'openai o3');
  assert.equal(claimOf('a-local-b'), 'local a-local-b');
});

test('provider/model names its provider, and other slashes belong to the model name', () => {
  assert.equal(claimOf('local/gpt-5'), 'local gpt-5');
  assert.equal(claimOf('local/meta/llama'), 'local meta/llama');
  assert.equal(claimOf('gpt-x/y'), 'openai gpt-x/y');
});

test('a name that matches no pattern has no provider', () => {
  for (const name of ['local/', '/gpt-5', 'nobody/x', '', '/', '__proto__/x', 'constructor'])
    assert.equal(claimOf(name), undefined, name);
});
