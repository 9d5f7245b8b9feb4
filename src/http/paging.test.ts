import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { cutPage, readCursor, writeCursor } from './paging.ts';

test('a cursor decodes to the key it encodes', () => {
  const key = fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme-ascii' });
  fc.assert(fc.property(key, (text) => readCursor(writeCursor(text)) === text));
  assert.equal(readCursor(undefined), undefined);
});

test('an invalid cursor is refused with the name of the field', () => {
  for (const cursor of [
    '',
    '!',
    '4',
    '4A',
    ' 41',
    '41\n',
    writeCursor('a\0b'),
    'ff',
    '41'.repeat(201),
  ])
    assert.throws(() => readCursor(cursor), {
      code: 'INVALID_REQUEST',
      params: { field: 'cursor' },
    });
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        readCursor(text);
      } catch (error) {
        assert.equal(Object(error).code, 'INVALID_REQUEST');
      }
    }),
  );
});

test('following the cursors returns the whole list in order', () => {
  const list = fc.uniqueArray(fc.nat(999).map((n) => String(n).padStart(3, '0')));
  fc.assert(
    fc.property(list, fc.integer({ min: 1, max: 7 }), (unsorted, limit) => {
      const rows = unsorted.toSorted((a, b) => a.localeCompare(b));
      const walked: string[] = [];
      for (let after: string | undefined = ''; after !== undefined; ) {
        const start = after;
        const rest = rows.filter((row) => row > start).slice(0, limit + 1);
        const page = cutPage(rest, limit, (row) => row);
        walked.push(...page.data);
        after = readCursor(page.nextCursor ?? undefined);
      }
      assert.deepEqual(walked, rows);
    }),
  );
});
