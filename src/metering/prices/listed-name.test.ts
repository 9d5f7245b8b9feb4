import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findProvider } from '@pydantic/genai-prices';
import { isListedName } from './listed-name.ts';
import { createPriceBook } from './price-book.ts';

const book = createPriceBook();

const PROVIDERS =
  'anthropic openai google aws azure openrouter deepseek x-ai mistral groq together fireworks cerebras cohere zai'.split(
    ' ',
  );

/** The parts of names by which the package matches models, without exact names. */
function partsIn(rule: unknown): readonly string[] {
  if (typeof rule !== 'object' || rule === null) return [];
  return Object.entries(rule).flatMap(([kind, value]) => {
    if (Array.isArray(value)) return value.flatMap(partsIn);
    const isPart = kind === 'starts_with' || kind === 'contains' || kind === 'ends_with';
    return isPart && typeof value === 'string' ? [value] : [];
  });
}

for (const provider of PROVIDERS) {
  const models = findProvider({ providerId: provider })?.models ?? [];

  test(`every model that the list names at ${provider} is itself`, () => {
    assert.ok(models.length > 0);
    for (const model of models) assert.ok(isListedName(model.id, model), model.id);
  });

  test(`no invented model of a family of ${provider} has a price`, () => {
    const parts = models.flatMap(({ match }) => partsIn(match));
    const invented = parts
      .filter((part) => !/^ft:|\.ft-/.test(part))
      .flatMap((part) => [
        `${part}-hyperion`,
        `${part}-hyperion-20260101`,
        `${part}-hyperion-latest`,
        // A prefix before a vendor's name is a region, and `v17` is a revision.
        ...(/^[^/.]+$/.test(part) ? [`hyperion-${part}`] : []),
        ...(/\d\d$|-v\d$/.test(part) ? [] : [`${part}7`]),
      ]);
    assert.deepEqual(
      invented.filter((name) => book.isPriced(provider, name)),
      [],
    );
  });
}

test('dates, revisions and the vendors of a model do not change its price', () => {
  for (const [provider, name] of [
    ['anthropic', 'claude-opus-4-5-20251101'],
    ['anthropic', 'claude-sonnet-4-5@20250929'],
    ['anthropic', 'claude-3-5-haiku-latest'],
    ['aws', 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['openai', 'gpt-4o-audio-preview-2024-12-17'],
    ['openai', 'gpt-5-nano-2025-08-07'],
    ['openai', 'ft:gpt-4o-2024-08-06:acme::abc123'],
    ['google', 'gemini-2.0-flash-001'],
    ['google', 'gemini-2.5-pro-preview-06-05'],
    ['google', 'gemini-3.8-flash-preview'],
    ['google', 'gemini-3.5-flash-001'],
    ['anthropic', 'claude-sonnet-5-5'],
  ] as const)
    assert.ok(book.isPriced(provider, name), name);
});

test('a dearer model of a family is not priced as its cheaper namesake', () => {
  for (const [provider, name] of [
    ['anthropic', 'claude-opus-4-10'],
    ['anthropic', 'claude-opus-4-5-max'],
    ['anthropic', 'claude-sonnet-5-5-ultra'],
    ['anthropic', 'claude-sonnet-5-6'],
    ['google', 'gemini-2.5-pro-ultra'],
    ['google', 'gemini-3.8-flash-image'],
    ['google', 'gemini-3.5-flash-9-ultra'],
    ['openai', 'gpt-5-nano-pro'],
  ] as const)
    assert.ok(!book.isPriced(provider, name), name);
});
