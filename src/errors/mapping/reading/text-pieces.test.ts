import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isSentence, piecesOf } from './text-pieces.ts';

test('the fast check accepts a sentence only if the full split does', () => {
  const mark = fc.constantFrom(
    '{',
    '[',
    '"',
    '<html>',
    'data: ',
    ' ',
    '\n',
    '\u001b[31m',
    '\u00a0',
    'id:',
  );
  const word = fc.oneof(fc.string({ maxLength: 5 }), mark);
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (words) => {
      const text = words.join('');
      if (isSentence(text)) assert.deepEqual(piecesOf(text), [{ kind: 'prose', text }]);
    }),
    { numRuns: 2_000 },
  );
});

test('the fast check accepts ordinary sentences and rejects possible structures', () => {
  for (const text of ['Overloaded', 'Rate limit reached for gpt-4.1. Please try again in 812ms.']) {
    assert.equal(isSentence(text), true, text);
  }
  for (const text of ['', ' padded ', '<html>', 'data: {}', 'API Error: 529 {"type":"error"}']) {
    assert.equal(isSentence(text), false, text);
  }
});

test('a sentence with JSON after it yields both', () => {
  assert.deepEqual(piecesOf('API Error: 529 {"type":"error"} · again'), [
    { kind: 'prose', text: 'API Error: 529' },
    { kind: 'json', value: { type: 'error' } },
    { kind: 'prose', text: '· again' },
  ]);
});
