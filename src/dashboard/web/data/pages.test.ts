import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergePages } from './pages.ts';

const row = (id: string, text = id) => ({ id, text });

test('a row of the fresh first page replaces the same row of a later page', () => {
  const rows = mergePages([row('c'), row('b', 'new')], [row('b', 'old'), row('a')], ({ id }) => id);
  assert.deepEqual(
    rows.map(({ text }) => text),
    ['c', 'new', 'a'],
  );
});

test('without later pages the first page is the list', () => {
  const first = [row('a')];
  assert.equal(
    mergePages(first, [], ({ id }) => id),
    first,
  );
});
