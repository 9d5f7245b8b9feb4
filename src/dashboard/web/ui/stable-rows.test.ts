import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSort, sortRows, sortText, stableRows } from './stable-rows.ts';

const row = (key: string, value = 0) => ({ key, value });
const keyOf = ({ key }: { key: string }) => key;

test('a held list keeps its order, updates in place, and counts the new rows', () => {
  const shown = [row('a'), row('b'), row('c')];
  const latest = [row('d'), row('c', 3), row('a', 1)];
  assert.deepEqual(stableRows(shown, latest, keyOf, true), {
    rows: [row('a', 1), row('b'), row('c', 3)],
    waiting: 1,
  });
});

test('a released list shows the latest rows', () => {
  const latest = [row('d'), row('a')];
  assert.deepEqual(stableRows([row('a')], latest, keyOf, false), { rows: latest, waiting: 0 });
});

test('an empty list takes its first rows even while it is held', () => {
  assert.equal(stableRows([], [row('a')], keyOf, true).rows.length, 1);
});

test('rows without a value come last in both directions', () => {
  const rows = [null, 2, 1, null, 3];
  assert.deepEqual(
    sortRows(rows, (value) => value, false),
    [1, 2, 3, null, null],
  );
  assert.deepEqual(
    sortRows(rows, (value) => value, true),
    [3, 2, 1, null, null],
  );
});

test('numbers inside of names sort by their value', () => {
  assert.deepEqual(
    sortRows(['org-10', 'org-9'], (name) => name, false),
    ['org-9', 'org-10'],
  );
});

test('a sort order survives its text', () => {
  for (const text of ['cost', '-cost']) {
    const order = parseSort(text);
    assert.equal(order && sortText(order), text);
  }
  assert.equal(parseSort(''), undefined);
});
