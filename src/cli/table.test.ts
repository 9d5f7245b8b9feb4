import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoTime, renderTable, safeText } from './table.ts';

test('columns line up, wide signs included, and what is absent is a dash', () => {
  const text = renderTable(
    ['ID', 'NAME', 'N'],
    [
      ['a', '漢字', 1],
      ['longer', undefined, 22],
      ['b', '👩‍👩‍👧', null],
    ],
  );
  assert.deepEqual(text.split('\n'), [
    'ID      NAME  N',
    'a       漢字  1',
    'longer  -     22',
    'b       👩‍👩‍👧    -',
  ]);
});

test('text from outside cannot move the cursor or turn the line round', () => {
  assert.equal(safeText('\u001b[2Jgone\r\n\u202Exyz'), '·[2Jgone···xyz');
  assert.doesNotMatch(renderTable(['A'], [['\u0007\u001b]0;title']]), /\p{Cc}(?<!\n)/u);
});

test('a moment is an ISO time, and none is a dash', () => {
  assert.equal(isoTime(0), '1970-01-01T00:00:00.000Z');
  assert.equal(isoTime(null), '-');
});
