import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figureOf, ratioOf } from './statistics.ts';

test('a median is the middle, or the mean of the two in the middle', () => {
  assert.equal(figureOf([9, 1, 5]).median, 5);
  assert.equal(figureOf([4, 1, 2, 9]).median, 3);
  assert.throws(() => figureOf([]));
});

test('a ratio is that of the medians, its spread that of the pairs', () => {
  const ratio = ratioOf([2, 6, 4], [1, 2, 4]);
  assert.deepEqual([ratio.median, ratio.min, ratio.max], [2, 1, 3]);
  assert.deepEqual(ratio.rounds, [2, 3, 1]);
});
