import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Config } from '../config.ts';
import { loadFrom } from '../load-config.ts';
import { sourcesFrom } from '../sources.ts';

function load(env: Record<string, string>, yaml = ''): Config {
  const configFile = { path: '/etc/spillway.yaml', text: yaml };
  return loadFrom(sourcesFrom({ env, cwd: '/', configFile })).config;
}

test('the three built-in providers always exist, without a key until one is set', () => {
  const { providers } = load({ OPENAI_API_KEY: 'sk-1' });
  assert.deepEqual(Object.keys(providers), ['anthropic', 'openai', 'gemini']);
  assert.deepEqual(
    Object.values(providers).map((provider) => [provider.format, provider.hasKey]),
    [
      ['anthropic', false],
      ['openai', true],
      ['gemini', false],
    ],
  );
  assert.deepEqual(providers.openai.accounts, [
    {
      name: 'default',
      apiKey: 'sk-1',
      region: 'us-east',
      tier: undefined,
      requestsPerMinute: 5000,
      tokensPerMinute: undefined,
      tokensPerDay: undefined,
    },
  ]);
});

test('base URLs are normalised to the spelling of the SDKs', () => {
  const { providers } = load({
    OPENAI_BASE_URL: 'http://127.0.0.1:9000/',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:9000/v1/',
    GEMINI_BASE_URL: 'http://127.0.0.1:9000/proxy/v1beta',
  });
  assert.equal(providers.openai.baseUrl, 'http://127.0.0.1:9000/v1');
  assert.equal(providers.anthropic.baseUrl, 'http://127.0.0.1:9000');
  assert.equal(providers.gemini.baseUrl, 'http://127.0.0.1:9000/proxy');
});

test('a provider of the file has its own variables, limits and defaults', () => {
  const yaml = `providers:
    x-ai: { baseUrl: 'https://api.x.ai/v1', models: [grok-*], region: eu }
    local: { baseUrl: 'http://localhost:11434', apiKey: none, requestsPerMinute: 7 }`;
  const { providers, dispatcher } = load({ X_AI_API_KEY: 'k', X_AI_RATE_LIMIT: '60' }, yaml);
  assert.deepEqual(dispatcher.availableProviders, ['x-ai', 'local']);
  assert.equal(providers['x-ai']?.format, 'openai');
  assert.equal(providers['x-ai']?.queue, 'x-ai-analysis-queue');
  assert.equal(providers['x-ai']?.rateLimitPerMinute, 60);
  assert.equal(providers['x-ai']?.accounts[0]?.region, 'eu');
  assert.equal(providers['local']?.baseUrl, 'http://localhost:11434/v1');
  assert.equal(providers['local']?.rateLimitPerMinute, 7);
});

test('a provider of the file without a limit has 1000 requests per minute', () => {
  const { providers } = load({}, 'providers: { groq: { baseUrl: "https://h/v1" } }');
  assert.equal(providers['groq']?.rateLimitPerMinute, 1000);
  assert.equal(providers['groq']?.hasKey, false);
});

test('limits come from the number, then the tier, then the built-in value', () => {
  const tier = 'providers: { anthropic: { tier: build } }';
  const account = load({ ANTHROPIC_API_KEY: 'k' }, tier).providers.anthropic.accounts[0];
  assert.equal(account?.requestsPerMinute, 50);
  assert.equal(account?.tokensPerMinute, 50_000);
  assert.equal(account?.tokensPerDay, 1_000_000);
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_RATE_LIMIT: '77' };
  assert.equal(load(env, tier).providers.anthropic.rateLimitPerMinute, 77);
  const enterprise = 'providers: { anthropic: { tier: enterprise } }';
  assert.equal(load({}, enterprise).providers.anthropic.rateLimitPerMinute, 400);
});

const ACCOUNTS = `providers:
  anthropic:
    tokensPerDay: 5
    accounts:
      - { name: second, apiKeyVariable: SECOND_KEY, tier: free, region: eu }
      - { name: third, apiKey: sk-3, requestsPerMinute: 9 }`;

test('accounts have keys and limits of their own and inherit the rest', () => {
  const env = { ANTHROPIC_API_KEY: 'sk-1', SECOND_KEY: 'sk-2', ANTHROPIC_RATE_LIMIT: '100' };
  const { accounts, rateLimitPerMinute } = load(env, ACCOUNTS).providers.anthropic;
  assert.deepEqual(
    accounts.map(({ name, apiKey, region, requestsPerMinute, tokensPerDay }) => [
      name,
      apiKey,
      region,
      requestsPerMinute,
      tokensPerDay,
    ]),
    [
      ['default', 'sk-1', 'us-east', 100, 5],
      ['second', 'sk-2', 'eu', 5, 100_000],
      ['third', 'sk-3', 'us-east', 9, 5],
    ],
  );
  assert.equal(rateLimitPerMinute, 114);
});

test("an account with the provider's own key is not counted twice", () => {
  const env = { ANTHROPIC_API_KEY: 'sk-2', SECOND_KEY: 'sk-2' };
  const { accounts } = load(env, ACCOUNTS).providers.anthropic;
  assert.deepEqual(
    accounts.map(({ name }) => name),
    ['second', 'third'],
  );
});

test('a variable named in the file replaces the default variable', () => {
  const yaml = 'providers: { openai: { apiKeyVariable: TEAM_KEY } }';
  assert.equal(load({ OPENAI_API_KEY: 'usual' }, yaml).providers.openai.hasKey, false);
  const { accounts } = load({ OPENAI_API_KEY: 'usual', TEAM_KEY: 'team' }, yaml).providers.openai;
  assert.equal(accounts[0]?.apiKey, 'team');
});

test('an invalid account or provider is refused', () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    [
      ACCOUNTS,
      /accounts\.0\.apiKeyVariable in .* is SECOND_KEY, but it must be a variable that is/,
    ],
    ['providers: { groq: {} }', /providers\.groq\.baseUrl in spillway\.yaml is not set/],
    ['providers: { Groq: {} }', /the name of providers\.Groq in spillway\.yaml is "Groq"/],
    ['providers: { gemini: { format: openai } }', /format in .* is openai, but it must be gemini/],
    ['providers: { openai: { apiKey: a, apiKeyVariable: B } }', /is set beside apiKeyVariable/],
    ['providers: { openai: { accounts: { name: a } } }', /accounts in .* is a map, but .* a list/],
    ['providers: { openai: { accounts: [{ apiKey: a }] } }', /accounts\.0\.name in .* is not set/],
    ['providers: { openai: { accounts: [{ name: a }] } }', /accounts\.0 in .* is without a key/],
    [
      'providers: { openai: { accounts: [{ name: a, apiKey: k }, { name: b, apiKey: k }] } }',
      /accounts in .* is a list with b after one of its name or key/,
    ],
    ['aliases: { fast: { targets: [] } }', /aliases\.fast\.targets in .* is empty/],
    ['aliases: { /b: { targets: [openai/x] } }', /the name of aliases\.\/b in .* without spaces/],
    ['aliases: { b/: { targets: [openai/x] } }', /the name of aliases\.b\/ in .* without spaces/],
  ];
  for (const [yaml, message] of refused)
    assert.throws(() => load({}, yaml), { name: 'ConfigError', message });
});

test('an alias is a chain of targets, split at the first slash', () => {
  const yaml = `providers: { groq: { baseUrl: 'https://api.groq.com/openai/v1' } }
aliases: { fast: { strategy: round-robin, targets: [groq/meta/llama, openai/gpt-5-mini] } }`;
  assert.deepEqual(load({}, yaml).aliases['fast'], {
    name: 'fast',
    strategy: 'round-robin',
    targets: [
      { provider: 'groq', model: 'meta/llama' },
      { provider: 'openai', model: 'gpt-5-mini' },
    ],
    weights: undefined,
    fallbacks: [],
    translate: 'strict',
  });
});

test('the properties of a model can be overridden', () => {
  const yaml = 'models: { gpt-9: { maxOutputTokens: 9000, reasoning: on } }';
  assert.deepEqual(load({}, yaml).models['gpt-9'], {
    maxOutputTokens: 9000,
    contextTokens: undefined,
    reasoning: true,
  });
});
