import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withParam, withQuery } from './query.ts';

test('a query leaves out empty values and encodes the others', () => {
  assert.equal(withQuery('/a', { x: '', y: undefined }), '/a');
  assert.equal(withQuery('/a', { text: 'a&b=c', limit: 5 }), '/a?text=a%26b%3Dc&limit=5');
});

test('a parameter is added or replaced', () => {
  assert.equal(withParam('/a', 'cursor', 'x y'), '/a?cursor=x+y');
  assert.equal(withParam('/a?limit=5&cursor=1', 'cursor', '2'), '/a?limit=5&cursor=2');
});
