import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { editDistance, nearest } from './nearest.ts';

test('the nearest name has the smallest edit distance', () => {
  assert.equal(nearest('prot', ['host', 'port', 'bodyLimitBytes']), 'port');
  assert.equal(nearest('anything', []), undefined);
});

test('the edit distance is zero for equal names, symmetric and at most the longer length', () => {
  const word = fc.string({ maxLength: 40 });
  fc.assert(
    fc.property(word, word, (one, other) => {
      assert.equal(editDistance(one, one), 0);
      assert.equal(editDistance(one, other), editDistance(other, one));
      assert.ok(editDistance(one, other) <= Math.max(one.length, other.length));
    }),
  );
  assert.equal(editDistance('kitten', 'sitting'), 3);
});
