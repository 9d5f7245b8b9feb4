import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imageTokens } from './image-tokens.ts';

test('an image has at most the tokens of the model for the highest detail', () => {
  for (const [model, tokens] of [
    ['gpt-4o', 6000],
    ['gpt-4o-mini-2024-07-18', 48_169],
    ['openai/gpt-4o-mini', 48_169],
    ['gpt-5', 6000],
    ['gpt-5-mini', 6000],
    ['gpt-5.4', 12_000],
    ['gpt-5.6-sol', 36_000],
    ['gpt-6', 36_000],
    ['claude-opus-4-8', 6000],
    ['gemini-3-pro-preview', 6000],
  ] as const)
    assert.equal(imageTokens(model), tokens, model);
});
