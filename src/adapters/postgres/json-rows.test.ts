import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonRows } from './json-rows.ts';

test('rows are what they were where the server can hold them', () => {
  const rows = [{ id: 'a', text: '☂ "quoted" \\ 𝄞\n', at: 5, none: null }];
  assert.deepEqual(JSON.parse(jsonRows(rows)), rows);
  const inner = { message: JSON.stringify({ prompt: 'a\u0000b \ud800' }) };
  assert.deepEqual(JSON.parse(jsonRows([inner])), [inner]);
});

test('what the server cannot hold becomes the mark for an unreadable character', () => {
  assert.deepEqual(JSON.parse(jsonRows([{ a: 'x\u0000y', b: '\ud800z' }])), [
    { a: 'x\uFFFDy', b: '\uFFFDz' },
  ]);
  const anyText = fc
    .array(fc.nat(0xffff))
    .map((units) => units.map((unit) => String.fromCharCode(unit)).join(''));
  fc.assert(
    fc.property(anyText, (text) => {
      const [row] = JSON.parse(jsonRows([{ text }]));
      assert.equal(row.text, text.toWellFormed().replaceAll('\u0000', '\uFFFD'));
    }),
  );
});
