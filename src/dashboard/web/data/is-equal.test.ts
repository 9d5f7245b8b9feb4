import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isEqual, keepEqualRows } from './is-equal.ts';

test('a value of JSON equals its copy', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      assert.equal(isEqual(JSON.parse(text), JSON.parse(text)), true);
    }),
  );
});

test('values with different texts are different', () => {
  for (const [one, other] of [
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { b: 1 }],
    [{ a: null }, {}],
    [[1], { 0: 1 }],
    [[1, 2], [1]],
    [null, {}],
    ['1', 1],
  ])
    assert.equal(isEqual(one, other), false, JSON.stringify([one, other]));
});

test('an equal row keeps its object, a changed one does not', () => {
  const known = [
    { id: 'a', count: 1 },
    { id: 'b', count: 1 },
  ];
  const next = [
    { id: 'b', count: 2 },
    { id: 'a', count: 1 },
  ];
  const rows = keepEqualRows(known, next, ({ id }) => id);
  assert.equal(rows[0], next[0]);
  assert.equal(rows[1], known[0]);
});
