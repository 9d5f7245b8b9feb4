import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isWellFormed } from './well-formed.ts';

function check(text: string): boolean {
  const bytes = Buffer.from(`##${text}##`);
  return isWellFormed(bytes, 2, bytes.length - 2);
}

test('any JSON text is well-formed', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
      assert.ok(check(text), text);
      assert.ok(check(JSON.stringify(JSON.parse(text), null, space)), text);
    }),
  );
});

test('no beginning of an object or a list is well-formed', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, cut) => {
      if (!/^[{[]/.test(text)) return;
      assert.ok(!check(text.slice(0, cut % text.length)), text);
    }),
  );
});

test('text that is not JSON is malformed', () => {
  for (const text of [
    '',
    ' ',
    'OK',
    '<html></html>',
    '{not json}',
    "{'a':1}",
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{"a" 1}',
    '[1,]',
    '[1 2]',
    '{"a":1]',
    '[1}',
    '{}{}',
    '{"a":"b}',
    '{"a":nul}',
    '}',
    '{"type":"content_block_delta","delta":{"text":"Hel',
  ])
    assert.equal(check(text), false, text);
});

test('a string that ends after the given range is cut', () => {
  const bytes = Buffer.from('{"a":"b"}');
  assert.equal(isWellFormed(bytes, 0, 7), false);
});
