import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseRows, findRows } from './find-rows.ts';

test('every file in rows is a row, with its own name, order and at least one goal', async () => {
  const rows = await findRows();
  assert.ok(rows.length > 0);
  assert.equal(new Set(rows.map((row) => row.name)).size, rows.length);
  assert.equal(new Set(rows.map((row) => row.order)).size, rows.length);
  for (const row of rows) assert.ok(row.goals.length > 0, row.name);
});

test('no names choose all rows; an unknown name is refused with the known names', async () => {
  const rows = await findRows();
  assert.deepEqual(chooseRows(rows, []), rows);
  assert.deepEqual(
    chooseRows(rows, ['unary']).map((row) => row.name),
    ['unary'],
  );
  assert.throws(() => chooseRows(rows, ['unnary']), /no row unnary; there are: unary/);
});
