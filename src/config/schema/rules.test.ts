import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadFrom } from '../load-config.ts';
import { sourcesFrom } from '../sources.ts';

function load(env: Record<string, string>, yaml = ''): void {
  loadFrom(sourcesFrom({ env, cwd: '/', configFile: { path: '/etc/spillway.yaml', text: yaml } }));
}

function refuses(env: Record<string, string>, yaml: string, message: string): void {
  assert.throws(() => load(env, yaml), { name: 'ConfigError', message });
}

test('a shared store needs an admin key', () => {
  const env = { DATABASE_URL: 'postgres://db/spillway' };
  refuses(
    env,
    '',
    'SPILLWAY_ADMIN_KEY is not set, but it must be when DATABASE_URL is, so that all servers share one.',
  );
  load({ ...env, SPILLWAY_ADMIN_KEY: 'an-admin-key-of-32-or-more-letters' });
});

test('routing between servers needs a secret', () => {
  const env = { ENABLE_MULTI_SERVER_ROUTING: 'true' };
  refuses(
    env,
    '',
    'INTER_SERVER_SECRET is not set, but it must be 32 bytes or more when ENABLE_MULTI_SERVER_ROUTING is true.',
  );
  load({ ...env, INTER_SERVER_SECRET: `${'a'.repeat(32)}, ${'b'.repeat(32)}` });
});

test('the minimum number of replicas is at most the maximum', () => {
  for (const [role, most] of [
    ['Gateways', 10],
    ['Workers', 10],
  ] as const) {
    const message = `scaling.min${role} is 11, but it must be at most scaling.max${role}, which is ${most}.`;
    refuses({}, `scaling: { min${role}: 11 }`, message);
    load({}, `scaling: { min${role}: 11, max${role}: 11 }`);
  }
});

test('a selected provider must exist', () => {
  const known = 'anthropic, openai, gemini';
  const unknown: Readonly<Record<string, string>> = {
    PROVIDER_FIXED: 'mistral',
    AVAILABLE_PROVIDERS: 'openai,mistral',
    PROVIDER_PRIORITY_ORDER: 'mistral',
    PROVIDER_WEIGHTS: 'mistral:1',
    PROVIDER_METADATA: '{"mistral":{"cost":1}}',
  };
  for (const [variable, value] of Object.entries(unknown)) {
    const message = `${variable} names "mistral", but a provider must be one of ${known}.`;
    refuses({ [variable]: value }, '', message);
    load({ [variable]: value }, 'providers: { mistral: { baseUrl: "https://api.mistral.ai/v1" } }');
  }
});

test('the weighted strategy needs a weight for an available provider', () => {
  const env = { PROVIDER_SELECTION_STRATEGY: 'WEIGHTED', OPENAI_API_KEY: 'key' };
  const sentence = (weights: string): string =>
    `PROVIDER_WEIGHTS is "${weights}", but it must give an available provider a weight above 0 when PROVIDER_SELECTION_STRATEGY is WEIGHTED.`;
  refuses(env, '', sentence(''));
  refuses({ ...env, PROVIDER_WEIGHTS: 'gemini:1,openai:0' }, '', sentence('gemini:1,openai:0'));
  load({ ...env, PROVIDER_WEIGHTS: 'gemini:70,openai:30' });
  load({ PROVIDER_SELECTION_STRATEGY: 'WEIGHTED', PROVIDER_WEIGHTS: 'gemini:70' });
});

test('the provider of an alias target must exist', () => {
  refuses(
    {},
    'aliases: { fast: { targets: [openai/gpt-5, groq/llama/3] } }',
    'aliases.fast.targets names "groq/llama/3", but its provider must be one of anthropic, openai, gemini.',
  );
  refuses(
    {},
    'aliases: { fast: { targets: [openai/gpt-5], fallbacks: [groq/llama] } }',
    'aliases.fast.fallbacks names "groq/llama", but its provider must be one of anthropic, openai, gemini.',
  );
});

test('a weight belongs to a target of its alias', () => {
  refuses(
    {},
    'aliases: { fast: { targets: [openai/gpt-5], weights: { openai/gpt-4: 1 } } }',
    'aliases.fast.weights names "openai/gpt-4", but it must be one of its targets: openai/gpt-5.',
  );
  load({}, 'aliases: { fast: { targets: [openai/gpt-5], weights: { openai/gpt-5: 1 } } }');
});

test('queue names must be distinct', () => {
  refuses(
    { RESULTS_QUEUE: 'raw-analysis-queue' },
    '',
    'The queue "raw-analysis-queue" is configured twice, but the raw, results, dead-letter and provider queues must differ.',
  );
  assert.throws(
    () => load({ OPENAI_QUEUE: 'q', GEMINI_QUEUE: 'q' }),
    /^ConfigError: The queue "q"/,
  );
});

test('a provider must not share a variable with a section', () => {
  refuses(
    {},
    'providers: { spillway: { baseUrl: "http://localhost:1" } }',
    'providers.spillway has the variable SPILLWAY_API_KEY, which is a variable of Spillway; rename the provider.',
  );
  assert.throws(() => load({}, 'providers: { dlq: { baseUrl: "http://h" } }'), /DLQ_QUEUE/);
});

test('limiter keys must outlive the longest window', () => {
  refuses(
    { REDIS_TTL: '60' },
    '',
    'REDIS_TTL is 60, but it must be more than 60.25 seconds, the longest limit window.',
  );
  load({ REDIS_TTL: '61' });
  assert.throws(() => load({}, 'providers: { gemini: { windowMs: 5m } }'), /REDIS_TTL is 120/);
});

test("the timeout of a request's headers may not exceed the timeout of the request", () => {
  refuses(
    {},
    'server: { headersTimeoutMs: 10m }',
    'server.headersTimeoutMs is 600000, but it must be at most server.requestTimeoutMs, which is 300000.',
  );
});
