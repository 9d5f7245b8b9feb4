import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createServableModels,
  type ListableProvider,
  type ModelSources,
} from './servable-models.ts';

function provider(name: string, given: Partial<ListableProvider> = {}): ListableProvider {
  return {
    name,
    format: 'openai',
    baseUrl: `https://${name}.example/v1`,
    region: 'us-east',
    accounts: [{ name: 'default', apiKey: 'k' }],
    models: [],
    ...given,
  };
}

const PROVIDERS = [
  provider('openai', { models: ['gpt-*', 'text-embedding-*'], defaultModel: 'gpt-5-mini' }),
  provider('groq'),
  provider('local', { models: ['llama-local', 'qwen-*'] }),
  provider('keyless', { models: ['grok-*'], accounts: [] }),
];
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  openai: ['gpt-5', 'gpt-5-mini', 'text-embedding-3-small', 'davinci', 'gpt-unpriced'],
  groq: ['llama-3.3', 'gpt-5'],
  keyless: ['grok-4'],
};
const ALIASES = [
  {
    name: 'smart',
    strategy: 'ordered',
    targets: [{ provider: 'keyless', model: 'grok-4' }],
    fallbacks: [],
  },
  {
    name: 'fast',
    strategy: 'ordered',
    targets: [
      { provider: 'openai', model: 'gpt-5-mini' },
      { provider: 'groq', model: 'llama-3.3' },
    ],
    fallbacks: [],
  },
] as const;

function servable(given: Partial<ModelSources> = {}) {
  return createServableModels({
    providers: PROVIDERS,
    aliases: ALIASES,
    configured: ['qwen-own', 'nobodys-model'],
    known: (name) => (KNOWN[name] ?? []).map((id) => ({ id, displayName: `The ${id}` })),
    isPriced: (_provider, model) => !model.includes('unpriced'),
    contextTokens: (model) => (model === 'llama-3.3' ? 200 : 100),
    ...given,
  });
}

test('the list has the aliases first, then the known models of providers with a key, under their request names', () => {
  const ids = servable()
    .list('openai', undefined)
    .map(({ id }) => id);
  assert.deepEqual(ids, [
    'fast',
    'gpt-5',
    'gpt-5-mini',
    'groq/gpt-5',
    'groq/llama-3.3',
    'llama-local',
    'qwen-own',
    'text-embedding-3-small',
  ]);
});

test('a listed model has its owner, its context window and whether it is an embedding model', () => {
  const models = new Map(
    servable()
      .list('openai', undefined)
      .map((model) => [model.id, model]),
  );
  assert.deepEqual(models.get('fast'), {
    id: 'fast',
    displayName: 'fast',
    owner: 'alias',
    contextTokens: 200,
    isEmbedding: false,
    isTranslated: false,
  });
  assert.equal(models.get('gpt-5')?.displayName, 'The gpt-5');
  assert.equal(models.get('groq/gpt-5')?.owner, 'groq');
  assert.equal(models.get('text-embedding-3-small')?.isEmbedding, true);
});

test('a key restricted to models sees only those models', () => {
  const { list } = servable();
  const seen = (...allowed: string[]) => list('openai', new Set(allowed)).map(({ id }) => id);
  assert.deepEqual(seen('gpt-5'), ['gpt-5', 'groq/gpt-5']);
  assert.deepEqual(seen('groq/*'), ['groq/gpt-5', 'groq/llama-3.3']);
  assert.deepEqual(seen('groq/*', 'gpt-5-mini').slice(0, 1), ['fast']);
  assert.deepEqual(seen('fast'), ['fast']);
  assert.deepEqual(seen('nothing'), []);
});

test('a model hidden by an alias of the same name is listed as provider/model', () => {
  const hiding = {
    name: 'gpt-5',
    strategy: 'ordered',
    targets: [{ provider: 'groq', model: 'llama-3.3' }],
    fallbacks: [],
  } as const;
  const ids = servable({ aliases: [hiding] })
    .list('openai', undefined)
    .map(({ id }) => id);
  assert.ok(ids.includes('gpt-5') && ids.includes('openai/gpt-5'));
  assert.equal(new Set(ids).size, ids.length);
});

test('an unlisted model is found only if it would be served', () => {
  const { find } = servable();
  assert.equal(find('fast', 'openai', undefined)?.owner, 'alias');
  assert.equal(find('gpt-5-2025-08-07', 'openai', undefined)?.id, 'gpt-5-2025-08-07');
  assert.equal(find('groq/anything', 'openai', undefined)?.owner, 'groq');
  for (const id of ['nobody', 'grok-4', 'smart', 'gpt-unpriced', '', 'constructor'])
    assert.equal(find(id, 'openai', undefined), undefined, id);
  assert.equal(find('gpt-5', 'openai', new Set(['fast'])), undefined);
});

test('a list has the models of its format first, then translated models, without their embeddings', () => {
  const providers = [
    provider('openai', { models: ['gpt-*', 'text-embedding-*'] }),
    provider('anthropic', { format: 'anthropic', models: ['claude-*', 'voyage-embed'] }),
    provider('gemini', { format: 'gemini', models: ['gemini-*'] }),
    provider('keyless', { format: 'gemini', models: ['gemma-*'], accounts: [] }),
  ];
  const known: Readonly<Record<string, readonly string[]>> = {
    openai: ['gpt-5', 'text-embedding-3-small'],
    anthropic: ['claude-sonnet-4-5'],
    gemini: ['gemini-2.5-flash', 'claude-sonnet-4-5'],
    keyless: ['gemma-3'],
  };
  const mixed = {
    name: 'smart',
    strategy: 'ordered',
    targets: [
      { provider: 'anthropic', model: 'claude-sonnet-4-5' },
      { provider: 'gemini', model: 'gemini-2.5-flash' },
    ],
    fallbacks: [],
  } as const;
  const { list, find } = servable({
    providers,
    aliases: [mixed],
    configured: [],
    known: (name) => (known[name] ?? []).map((id) => ({ id, displayName: id })),
  });
  const ids = (format: 'anthropic' | 'openai' | 'gemini') =>
    list(format, undefined).map(({ id }) => id);
  const openai = ['gpt-5', 'text-embedding-3-small', 'smart', 'claude-sonnet-4-5'];
  assert.deepEqual(ids('openai'), [...openai, 'gemini-2.5-flash']);
  assert.deepEqual(ids('anthropic'), ['smart', 'claude-sonnet-4-5', 'gemini-2.5-flash', 'gpt-5']);
  assert.deepEqual(ids('gemini'), ['smart', 'gemini-2.5-flash', 'claude-sonnet-4-5', 'gpt-5']);
  const marked = list('openai', undefined).filter(({ isTranslated }) => isTranslated);
  assert.deepEqual(
    marked.map(({ id }) => id),
    ['smart', 'claude-sonnet-4-5', 'gemini-2.5-flash'],
  );
  assert.equal(find('claude-sonnet-4-5-20250929', 'openai', undefined)?.isTranslated, true);
  for (const id of ['gemma-3', 'voyage-embed'])
    assert.equal(find(id, 'openai', undefined), undefined, id);
  const onlyClaude = list('gemini', new Set(['anthropic/claude-sonnet-4-5']));
  assert.deepEqual(
    onlyClaude.map(({ id }) => id),
    ['claude-sonnet-4-5'],
    'the alias could go to a forbidden target',
  );
});
