import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ImportResult, importPeer } from '../import-peer.ts';

function run(document: unknown): ImportResult {
  return importPeer({ peer: 'bifrost', fileName: 'config.json', text: JSON.stringify(document) });
}

function chain({ config }: ImportResult, alias: string): string {
  const { strategy, targets = [], fallbacks = [] } = config.aliases[alias] ?? {};
  const show = (list: typeof targets) => list.map(({ provider, model }) => `${provider}/${model}`);
  return [strategy, ...show(targets), '|', ...show(fallbacks)].join(' ');
}

function reasonOf({ findings }: ImportResult, path: string): string | undefined {
  return findings.find((each) => each.path === path)?.reason;
}

const key = (value: string, ...models: readonly string[]) => ({
  name: value,
  value: `env.${value}`,
  models,
  weight: 1,
});

test('keys become accounts for the models that they list', () => {
  const { config } = run({
    providers: { groq: { keys: [key('ONE', '*'), key('TWO', 'llama')] } },
  });
  const accounts = (provider: string) =>
    config.providers[provider]?.accounts.map(({ apiKey }) => apiKey);
  assert.deepEqual(accounts('groq'), ['key-of-ONE']);
  assert.deepEqual(accounts('groq-llama'), ['key-of-ONE', 'key-of-TWO']);
});

test('provider/model leads to the provider that serves the model', () => {
  const result = run({
    providers: {
      groq: { keys: [key('ONE', '*'), key('TWO', 'llama')] },
      anthropic: { keys: [key('THREE', 'claude')] },
    },
  });
  assert.equal(chain(result, 'groq/llama'), 'ordered groq-llama/llama |');
  assert.equal(result.config.aliases['anthropic/claude'], undefined);
});

test('a key of weight 0 and a key without models receive no calls', () => {
  const result = run({
    providers: {
      groq: { keys: [{ ...key('ONE', '*'), weight: 0 }, key('TWO'), key('THREE', '*')] },
    },
  });
  assert.equal(result.config.providers['groq']?.accounts.length, 1);
  assert.match(reasonOf(result, 'providers.groq.keys[0]') ?? '', /weight 0/);
  assert.match(reasonOf(result, 'providers.groq.keys[1]') ?? '', /allows no model/);
});

test('a custom provider keeps its name and its address', () => {
  const { config } = run({
    providers: {
      'house-llm': {
        custom_provider_config: { base_provider_type: 'openai', is_key_less: true },
        network_config: { base_url: 'http://10.0.0.5:8000/v1' },
      },
    },
  });
  const provider = config.providers['house-llm'];
  assert.equal(provider?.baseUrl, 'http://10.0.0.5:8000/v1');
  assert.equal(provider?.hasKey, true);
  assert.deepEqual(config.prices.models['house-llm/*'], { inputUsd: 0, outputUsd: 0 });
});

test('names of deployments become aliases', () => {
  const azure = {
    ...key('ONE', 'gpt-4o'),
    aliases: { 'gpt-4o': 'eu-deployment' },
    azure_key_config: { endpoint: 'https://acme.openai.azure.com' },
  };
  const result = run({ providers: { azure: { keys: [azure] } } });
  assert.equal(chain(result, 'gpt-4o'), 'ordered azure/eu-deployment |');
  assert.equal(chain(result, 'azure/gpt-4o'), 'ordered azure/eu-deployment |');
});

test('a routing rule on a model becomes an alias with fallbacks; other rules are left out', () => {
  const result = run({
    providers: { openai: { keys: [key('ONE', '*')] }, groq: { keys: [key('TWO', '*')] } },
    governance: {
      routing_rules: [
        {
          id: 'r1',
          name: 'r1',
          cel_expression: 'model == "smart"',
          targets: [{ provider: 'openai', model: 'gpt-4o', weight: 1 }],
          fallbacks: ['groq/llama', 'groq'],
        },
        {
          id: 'r2',
          name: 'r2',
          cel_expression: 'budget_used > 80',
          targets: [{ provider: 'groq' }],
        },
      ],
    },
  });
  assert.equal(chain(result, 'smart'), 'ordered openai/gpt-4o | groq/llama groq/smart');
  assert.match(reasonOf(result, 'governance.routing_rules[1]') ?? '', /only a rule on one model/);
});

test('a model that a virtual key gets from several providers takes turns by their weights', () => {
  const result = run({
    providers: { openai: { keys: [key('ONE', '*')] }, groq: { keys: [key('TWO', '*')] } },
    governance: {
      virtual_keys: [
        {
          id: 'vk',
          name: 'vk',
          provider_configs: [
            { provider: 'openai', allowed_models: ['m'], weight: 0.2 },
            { provider: 'groq', allowed_models: ['m'], weight: 0.8 },
          ],
        },
      ],
    },
  });
  assert.equal(chain(result, 'm'), 'round-robin openai/m groq/m |');
  assert.deepEqual({ ...result.config.aliases['m']?.weights }, { 'openai/m': 0.2, 'groq/m': 0.8 });
});

test('a limit of a model is divided by the accounts that serve it', () => {
  const { config } = run({
    providers: { groq: { keys: [key('ONE', '*'), key('TWO', '*')] } },
    governance: {
      rate_limits: [{ id: 'rl', request_max_limit: 100, request_reset_duration: '1m' }],
      model_configs: [{ id: 'mc', model_name: 'llama', provider: 'groq', rate_limit_id: 'rl' }],
    },
  });
  const limits = (provider: string) =>
    config.providers[provider]?.accounts.map(({ requestsPerMinute }) => requestsPerMinute);
  assert.deepEqual(limits('groq-llama'), [50, 50]);
  assert.deepEqual(limits('groq'), [1000, 1000]);
});

test('customers, and teams without a customer, become organisations, and keys have the budget of their team', () => {
  const { commands } = run({
    governance: {
      budgets: [
        { id: 'b1', max_limit: 100, reset_duration: '1M', customer_id: 'acme' },
        { id: 'b2', max_limit: 30, reset_duration: '1M', team_id: 'eng' },
        { id: 'b3', max_limit: 50, reset_duration: '1M', virtual_key_id: 'vk1' },
      ],
      rate_limits: [
        {
          id: 'rl',
          request_max_limit: 7,
          request_reset_duration: '1m',
          token_max_limit: 900,
          token_reset_duration: '1m',
        },
      ],
      customers: [{ id: 'acme', name: 'Acme', rate_limit_id: 'rl' }],
      teams: [
        { id: 'eng', name: 'Engineering', customer_id: 'acme' },
        { id: 'solo', name: 'Solo' },
      ],
      virtual_keys: [
        { id: 'vk1', name: 'one', team_id: 'eng', rate_limit_id: 'rl' },
        { id: 'vk2', name: 'two', team_id: 'solo' },
        { id: 'vk3', name: 'three' },
        { id: 'vk4', name: 'four', is_active: false },
      ],
    },
  });
  assert.deepEqual(
    commands.map((command) => command.join(' ')),
    [
      'orgs create acme --name Acme --budget 100 --rpm 7 --tpm 900',
      'orgs create solo --name Solo',
      'keys create --org acme --name one --budget 30 --rpm 7',
      'keys create --org solo --name two',
      'keys create --org default --name three',
    ],
  );
});

test('the largest timeout and number of retries of all providers apply', () => {
  const network = (max_retries: number, seconds: number) => ({
    keys: [key('ONE', '*')],
    network_config: { max_retries, default_request_timeout_in_seconds: seconds },
  });
  const { config } = run({ providers: { openai: network(1, 60), groq: network(5, 30) } });
  assert.deepEqual([config.retry.errorRetries, config.timeouts.unaryMs], [5, 60_000]);
});
