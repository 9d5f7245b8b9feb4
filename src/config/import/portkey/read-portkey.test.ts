import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ImportResult, importPeer } from '../import-peer.ts';

function run(document: unknown, models: readonly string[] = []): ImportResult {
  const text = JSON.stringify(document);
  return importPeer({ peer: 'portkey', fileName: 'chat.json', text, models });
}

function chain({ config }: ImportResult, alias: string): string {
  const { strategy, targets = [], fallbacks = [] } = config.aliases[alias] ?? {};
  const show = (list: typeof targets) => list.map(({ provider, model }) => `${provider}/${model}`);
  return [strategy, ...show(targets), '|', ...show(fallbacks)].join(' ');
}

function reasonsOf({ findings }: ImportResult): string {
  return findings.map(({ path, reason }) => `${path}: ${reason}`).join('\n');
}

const GPT = { provider: 'openai', api_key: 'k-1', override_params: { model: 'gpt-4o' } };
const LLAMA = { provider: 'groq', api_key: 'k-2', override_params: { model: 'llama' } };
const MISTRAL = { provider: 'mistral-ai', api_key: 'k-3', override_params: { model: 'large' } };

test('a fallback is an alias of the file name with its targets in order', () => {
  const result = run({ strategy: { mode: 'fallback' }, targets: [GPT, LLAMA] });
  assert.equal(chain(result, 'chat'), 'ordered openai/gpt-4o | groq/llama');
});

test('a load balancer with equal weights takes turns; a target of weight 0 is left out', () => {
  const targets = [
    { ...GPT, weight: 0.5 },
    { ...LLAMA, weight: 0.5 },
    { ...MISTRAL, weight: 0 },
  ];
  const result = run({ strategy: { mode: 'loadbalance' }, targets });
  assert.equal(chain(result, 'chat'), 'round-robin openai/gpt-4o groq/llama |');
  assert.match(reasonsOf(result), /targets\[2\]: a target of weight 0/);
});

test('weights are shares of the targets, divided among the targets of a branch', () => {
  const branch = { strategy: { mode: 'loadbalance' }, targets: [LLAMA, MISTRAL], weight: 0.4 };
  const { config } = run({
    strategy: { mode: 'loadbalance' },
    targets: [{ ...GPT, weight: 0.6 }, branch],
  });
  assert.deepEqual(
    { ...config.aliases['chat']?.weights },
    { 'openai/gpt-4o': 0.6, 'groq/llama': 0.2, 'mistral/large': 0.2 },
  );
});

test('a load balancer inside a fallback keeps its turns, and a fallback inside a load balancer is reported', () => {
  const balanced = { strategy: { mode: 'loadbalance' }, targets: [GPT, LLAMA] };
  const outer = run({ strategy: { mode: 'fallback' }, targets: [balanced, MISTRAL] });
  assert.equal(chain(outer, 'chat'), 'round-robin openai/gpt-4o groq/llama | mistral/large');
  const fallback = { strategy: { mode: 'fallback' }, targets: [LLAMA, MISTRAL] };
  const inner = run({ strategy: { mode: 'loadbalance' }, targets: [GPT, fallback] });
  assert.equal(chain(inner, 'chat'), 'round-robin openai/gpt-4o groq/llama | mistral/large');
  assert.match(reasonsOf(inner), /strategy\.mode: the fallbacks of one branch serve all/);
});

test('a target without a model gets an alias for each --model', () => {
  const config = {
    strategy: { mode: 'fallback' },
    targets: [{ provider: 'openai', api_key: 'k' }, LLAMA],
  };
  const named = run(config, ['gpt-4o', 'gpt-4o-mini']);
  assert.equal(chain(named, 'gpt-4o'), 'ordered openai/gpt-4o | groq/llama');
  assert.equal(chain(named, 'gpt-4o-mini'), 'ordered openai/gpt-4o-mini | groq/llama');
  const unnamed = run(config);
  assert.deepEqual(Object.keys(unnamed.config.aliases), []);
  assert.match(reasonsOf(unnamed), /name their models with --model/);
  assert.equal(unnamed.config.providers.openai.hasKey, true);
});

test('a single provider needs no alias', () => {
  const { config, findings } = run({ provider: 'openai', api_key: 'k' });
  assert.equal(config.providers.openai.hasKey, true);
  assert.deepEqual(config.aliases, Object.create(null));
  assert.ok(findings.every(({ status }) => status === 'taken' || status === 'changed'));
});

test('camelCase and snake_case keys have the same meaning', () => {
  const target = { virtualKey: 'openai-main', overrideParams: { model: 'gpt-4o', topP: 1 } };
  const result = run({ strategy: { mode: 'fallback', onStatusCodes: [429] }, targets: [target] });
  assert.equal(chain(result, 'chat'), 'ordered openai-main/gpt-4o |');
  assert.ok(result.findings.every(({ status }) => status !== 'unknown'));
});

test('a virtual key is a provider of its name, and its key becomes a variable', () => {
  const { config, variables } = run({
    virtual_key: 'openai-prod-4f',
    override_params: { model: 'gpt-4o' },
  });
  assert.deepEqual(variables, [{ name: 'OPENAI_PROD_4F_API_KEY', path: '', source: 'vault' }]);
  assert.equal(config.providers['openai-prod-4f']?.baseUrl, 'https://api.openai.com/v1');
});

test('limits of an integration are shared by its models', () => {
  const { config } = run({
    integrations: [
      {
        slug: 'groq-main',
        provider: 'groq',
        credentials: { apiKey: 'k' },
        rate_limits: [
          { type: 'requests', unit: 'rph', value: 600 },
          { type: 'tokens', unit: 'rpd', value: 5000 },
        ],
        models: [{ slug: 'a' }, { slug: 'b' }, { slug: 'c', status: 'inactive' }],
      },
    ],
  });
  const provider = config.providers['groq-main'];
  assert.equal(provider?.rateLimitPerMinute, 10);
  assert.equal(provider?.accounts[0]?.tokensPerDay, 5000);
});

/** As JSON, because an object literal with `then` looks like a promise. */
const CONDITIONS: unknown = JSON.parse(`[
  { "query": { "params.model": { "$in": ["fast", "quick"] } }, "then": "one" },
  { "query": { "metadata.tier": "paid" }, "then": "two" }
]`);

test('conditions on the model become aliases; others are left out', () => {
  const result = run({
    strategy: {
      mode: 'conditional',
      conditions: CONDITIONS,
      default: 'two',
    },
    targets: [
      { ...GPT, name: 'one' },
      { ...LLAMA, name: 'two' },
    ],
  });
  assert.equal(chain(result, 'quick'), 'ordered openai/gpt-4o |');
  assert.equal(chain(result, 'chat'), 'ordered groq/llama |');
  assert.match(reasonsOf(result), /conditions\[1\]: only conditions on params\.model/);
});

test('retries follow the status codes of the config', () => {
  const { retry } = run({ retry: { attempts: 3, on_status_codes: [429] } }).config;
  assert.deepEqual([retry.throttledRetries, retry.errorRetries], [3, 0]);
});

test('workspaces and API keys become commands', () => {
  const { commands } = run({
    workspaces: [
      {
        slug: 'search',
        name: 'Search',
        usage_limits: { credit_limit: 9, periodic_reset: 'monthly' },
      },
    ],
    api_keys: [
      {
        name: 'backend',
        workspace_id: 'search',
        rate_limits: [{ type: 'requests', unit: 'rpm', value: 5 }],
      },
    ],
  });
  assert.deepEqual(commands, [
    'orgs create search --name Search --budget 9'.split(' '),
    'keys create --org search --name backend --rpm 5'.split(' '),
  ]);
});

test('a config of an unknown vendor is left out as a whole', () => {
  const result = run({ provider: '@nowhere', cache: { mode: 'simple' } });
  assert.deepEqual(
    result.findings.map(({ path, reason }) => [path, reason]),
    [['', 'its vendor is not known to Spillway']],
  );
});
