import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createContextTokens, DEFAULT_CONTEXT_TOKENS } from './context-window.ts';

const KNOWN: ReadonlyMap<string, number> = new Map([
  ['gpt-5', 400_000],
  ['tiny', 1024],
]);

test('the configuration overrides the model list, and the model list overrides the default', () => {
  const contextTokens = createContextTokens({ tiny: { contextTokens: 4096 } }, (model) =>
    KNOWN.get(model),
  );
  assert.equal(contextTokens('tiny'), 4096);
  assert.equal(contextTokens('gpt-5'), 400_000);
  assert.equal(contextTokens('unknown-model'), DEFAULT_CONTEXT_TOKENS);
});

test('a model is looked up once, and the cache is bounded', () => {
  let lookups = 0;
  const contextTokens = createContextTokens({}, () => {
    lookups += 1;
    return 1;
  });
  contextTokens('a');
  contextTokens('a');
  assert.equal(lookups, 1);
  for (let index = 0; index < 3000; index += 1) contextTokens(`m-${index}`);
  assert.equal(contextTokens('a'), 1);
});
