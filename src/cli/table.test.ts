import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoTime, renderTable, safeText } from './table.ts';

test('columns are aligned even with wide characters, and a missing value is a dash', () => {
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

test('text of callers cannot move the cursor or change the writing direction', () => {
  assert.equal(safeText('\u001b[2Jgone\r\n\u202Exyz'), '·[2Jgone···xyz');
  assert.doesNotMatch(renderTable(['A'], [['\u0007\u001b]0;title']]), /\p{Cc}(?<!\n)/u);
});

test('a timestamp is an ISO time, and a missing one is a dash', () => {
  assert.equal(isoTime(0), '1970-01-01T00:00:00.000Z');
  assert.equal(isoTime(null), '-');
});
