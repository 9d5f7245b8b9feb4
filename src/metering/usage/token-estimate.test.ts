import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_USAGE } from '../../kernel/usage.ts';
import { estimateTokens, estimateUsage } from './token-estimate.ts';

test('a token is four bytes, rounded up', () => {
  assert.deepEqual([0, 1, 4, 5, 400].map(estimateTokens), [0, 1, 1, 2, 100]);
});

test('an interrupted stream keeps its reported counts and estimates the others', () => {
  const told = { ...NO_USAGE, inputTokens: 25, cacheReadTokens: 1000, outputTokens: 1 };
  assert.deepEqual(estimateUsage(9000, 400, told), { ...told, outputTokens: 100 });
  const more = { ...told, outputTokens: 120 };
  assert.deepEqual(estimateUsage(9000, 400, more), more);
  assert.deepEqual(estimateUsage(800, 0, undefined), { ...NO_USAGE, inputTokens: 200 });
});
