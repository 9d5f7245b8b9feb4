import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_USAGE } from '../kernel/usage.ts';
import { estimateUsage } from './estimate-usage.ts';

test('without a word from the provider, four bytes are a token', () => {
  assert.deepEqual(estimateUsage(undefined, Buffer.alloc(401), 9), {
    ...NO_USAGE,
    inputTokens: 101,
    outputTokens: 3,
  });
  assert.deepEqual(estimateUsage(undefined, Buffer.alloc(0), 0), NO_USAGE);
});

test('what the provider said of the input holds, and output is never less than was seen or said', () => {
  const reported = { ...NO_USAGE, inputTokens: 7, cacheReadTokens: 90, outputTokens: 1 };
  assert.deepEqual(estimateUsage(reported, Buffer.alloc(4000), 400), {
    ...reported,
    outputTokens: 100,
  });
  const said = { ...reported, outputTokens: 500 };
  assert.deepEqual(estimateUsage(said, Buffer.alloc(4000), 400), said);
});
