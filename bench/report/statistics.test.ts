import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figureOf, ratioOf } from './statistics.ts';

test('a median is the middle value, or the mean of the two middle values', () => {
  assert.equal(figureOf([9, 1, 5]).median, 5);
  assert.equal(figureOf([4, 1, 2, 9]).median, 3);
  assert.throws(() => figureOf([]));
});

test('a ratio is the ratio of the medians, and its spread comes from the pairs', () => {
  const ratio = ratioOf([2, 6, 4], [1, 2, 4]);
  assert.deepEqual([ratio.median, ratio.min, ratio.max], [2, 1, 3]);
  assert.deepEqual(ratio.rounds, [2, 3, 1]);
});
