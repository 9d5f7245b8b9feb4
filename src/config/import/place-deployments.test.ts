import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Deployment } from './deployment.ts';
import { findEndpoint } from './endpoints.ts';
import { placeDeployments } from './place-deployments.ts';

function deployment(vendor: string, model: string, given: Partial<Deployment> = {}): Deployment {
  const found = findEndpoint(vendor);
  assert.ok(found && 'endpoint' in found);
  const credential = { variable: `${vendor.toUpperCase()}_API_KEY` };
  return { endpoint: found.endpoint, model, credential, limits: {}, ...given };
}

const withKey = (variable: string) => ({ credential: { variable } });

function names(deployments: readonly Deployment[]): readonly string[] {
  return placeDeployments(deployments).providers.map(({ name }) => name);
}

test('models with the same keys share a provider', () => {
  const deployments = [deployment('groq', 'a'), deployment('groq', 'b')];
  assert.deepEqual(placeDeployments(deployments).providers, [
    { name: 'groq', baseUrl: 'https://api.groq.com/openai/v1', accounts: [] },
  ]);
});

test('a model with another key is never called with the key of the first', () => {
  const deployments = [
    deployment('groq', 'a', withKey('ONE')),
    deployment('groq', 'b', withKey('TWO')),
  ];
  const { providers, targetOf } = placeDeployments(deployments);
  assert.deepEqual(
    providers.map(({ apiKeyVariable }) => apiKeyVariable),
    ['ONE', 'TWO'],
  );
  assert.deepEqual(deployments.map(targetOf), ['groq/a', 'groq-b/b']);
});

test('a model with limits has a provider of its own, so that no other model shares them', () => {
  const deployments = [
    deployment('groq', 'a'),
    deployment('groq', 'b', { limits: { requestsPerMinute: 5 } }),
  ];
  const { providers } = placeDeployments(deployments);
  assert.deepEqual(
    providers.map(({ name, requestsPerMinute }) => [name, requestsPerMinute]),
    [
      ['groq', undefined],
      ['groq-b', 5],
    ],
  );
});

test('several keys of one model become accounts, each with its own limits', () => {
  const [provider] = placeDeployments([
    deployment('groq', 'a', { ...withKey('ONE'), limits: { tokensPerMinute: 9 } }),
    deployment('groq', 'a', withKey('TWO')),
  ]).providers;
  assert.equal(provider?.apiKeyVariable, 'TWO');
  assert.equal(provider?.tokensPerMinute, undefined);
  assert.deepEqual(provider?.accounts, [{ name: 'one', variable: 'ONE', tokensPerMinute: 9 }]);
});

test('no account inherits a limit of another one', () => {
  const [provider] = placeDeployments([
    deployment('groq', 'a', { ...withKey('ONE'), limits: { tokensPerMinute: 9 } }),
    deployment('groq', 'a', { ...withKey('TWO'), limits: { requestsPerMinute: 3 } }),
  ]).providers;
  assert.equal(provider?.apiKeyVariable, undefined);
  assert.deepEqual(provider?.accounts, [
    { name: 'one', variable: 'ONE', tokensPerMinute: 9 },
    { name: 'two', variable: 'TWO', requestsPerMinute: 3 },
  ]);
});

test('the same key twice is one account with the smaller limits', () => {
  const [provider] = placeDeployments([
    deployment('groq', 'a', { limits: { requestsPerMinute: 9, tokensPerMinute: 5 } }),
    deployment('groq', 'a', { limits: { requestsPerMinute: 3 } }),
  ]).providers;
  assert.deepEqual(provider?.accounts, []);
  assert.deepEqual([provider?.requestsPerMinute, provider?.tokensPerMinute], [3, 5]);
});

test('a vendor with a wire format of its own is called in it', () => {
  const own = deployment('anthropic', 'claude', { baseUrl: 'https://proxy.example' });
  assert.deepEqual(placeDeployments([deployment('anthropic', 'claude'), own]).providers, [
    { name: 'anthropic', accounts: [] },
    {
      name: 'anthropic-proxy',
      format: 'anthropic',
      baseUrl: 'https://proxy.example',
      apiKeyVariable: 'ANTHROPIC_API_KEY',
      accounts: [],
    },
  ]);
});

test("embeddings are called in OpenAI's format, because they are not translated", () => {
  const [, embedding] = placeDeployments([
    deployment('gemini', 'gemini-2.5-flash'),
    deployment('gemini', 'text-embedding-004'),
  ]).providers;
  assert.equal(embedding?.name, 'gemini-openai');
  assert.equal(embedding?.baseUrl, 'https://generativelanguage.googleapis.com/v1beta/openai');
});

test('a provider at another address never takes the name of its built-in vendor', () => {
  const baseUrl = 'http://gpu-7.internal:8000/v1';
  assert.deepEqual(names([deployment('openai', 'a', { baseUrl })]), ['openai-gpu-7']);
});

test('names are unique, short enough and no variables of Spillway', () => {
  const sites = Array.from({ length: 30 }, (_, index) =>
    deployment('azure', 'm', {
      baseUrl: `https://a-very-long-name-of-a-resource-${index}.openai.azure.com`,
    }),
  );
  const given = names([...sites, deployment('groq', 'x', { provider: 'dlq' })]);
  assert.equal(new Set(given).size, 31);
  for (const name of given) assert.match(name, /^[a-z][a-z0-9-]{0,31}$/);
  assert.ok(!given.includes('dlq'));
});

test("a peer's name that belongs to another vendor is not used", () => {
  const [provider] = placeDeployments([deployment('groq', 'x', { provider: 'openai' })]).providers;
  assert.deepEqual([provider?.name, provider?.baseUrl], ['groq', 'https://api.groq.com/openai/v1']);
});
