import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKnownModels } from './known-models.ts';
import { createPriceBook } from './price-book.ts';
import { searchesAlways } from './search-models.ts';

const KNOWN = createKnownModels();

function names(provider: string): readonly string[] {
  return KNOWN.of(provider).map((model) => model.id);
}

test("each built-in provider's current models are known", () => {
  assert.ok(names('anthropic').includes('claude-sonnet-4-5'));
  assert.ok(names('openai').includes('gpt-5-mini'));
  assert.ok(names('openai').includes('text-embedding-3-small'));
  assert.ok(names('gemini').includes('gemini-2.5-flash'));
  assert.ok(names('gemini').includes('gemini-embedding-001'));
  assert.deepEqual(names('a-server-of-our-own'), []);
});

test('models that our endpoints cannot serve and retired models are not listed', () => {
  for (const name of [
    'gpt-realtime',
    'gpt-image-1',
    'whisper-1',
    'gpt-4o:extended',
    'gpt-3.5-turbo',
  ])
    assert.ok(!names('openai').includes(name), name);
  assert.ok(!names('anthropic').includes('claude-2'));
});

test('every listed model has a price, unless its searches have none', () => {
  const prices = createPriceBook();
  for (const provider of ['anthropic', 'openai', 'gemini', 'groq'])
    for (const name of names(provider))
      assert.ok(prices.isPriced(provider, name) || searchesAlways(name), name);
});

test('windows are known for dated names and for models without one in the package', () => {
  assert.equal(KNOWN.contextTokens('gpt-5-mini'), 400_000);
  assert.equal(KNOWN.contextTokens('claude-sonnet-4-5-20250929'), 200_000);
  assert.equal(KNOWN.contextTokens('gemini-2.5-pro'), 1_048_576);
  assert.equal(KNOWN.contextTokens('nobody-knows-this'), undefined);
});
