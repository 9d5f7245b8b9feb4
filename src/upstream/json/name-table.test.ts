import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { NameTable } from './name-table.ts';

const TABLE = new NameTable(['file_id', 'fileUri', 'tools', 'k']);

function find(encoded: string | Buffer) {
  const body = typeof encoded === 'string' ? Buffer.from(encoded) : encoded;
  return TABLE.findDecoded(body, 0, body.length);
}

test('an escaped name is the name, and in another case it is not exact', () => {
  assert.deepEqual(find('file\\u005fid'), { name: 'file_id', isExact: true });
  assert.deepEqual(find('file\\u005FI\\u0064'), { name: 'file_id', isExact: false });
  assert.deepEqual(find('\\u0066ileUri'), { name: 'fileUri', isExact: true });
  for (const kelvin of ['\u212a', '\\u212a', '\\u212A'])
    assert.deepEqual(find(kelvin), { name: 'k', isExact: false });
  for (const long of ['tool\u017f', 'tool\\u017f'])
    assert.deepEqual(find(long), { name: 'tools', isExact: false });
});

test('other names are none, and a broken escape is reported', () => {
  for (const other of ['\\n', 'file\\u005fids', 'é', '\\ud83d\\ude00', 'tools\\u0000', ''])
    assert.equal(find(other), undefined, other);
  for (const broken of ['\\x', '\\u12', '\\u00zz', 'k\\']) assert.equal(find(broken), null, broken);
});

test('a name in malformed UTF-8 is reported, however lenient decoders read it', () => {
  const inLatin1 = (text: string) => find(Buffer.from(text, 'latin1'));
  for (const underscore of ['\xc1\x9f', '\xe0\x81\x9f', '\xf0\x80\x81\x9f'])
    assert.equal(inLatin1(`file${underscore}id`), null, underscore);
  for (const cut of ['file\xc3', 'file\xc3_id', 'fil\x81e', '\xe2\x84', '\xf0\x9f\x98'])
    assert.equal(inLatin1(cut), null, cut);
  for (const other of ['file\u00e9', '\u20ac', '\u{1f600}']) assert.equal(find(other), undefined);
});

test('the result agrees with a JSON parser for any escapes', () => {
  const letter = fc.constantFrom(...'fileUri_dtoks'.split(''), 'é', '\n', '"');
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const part = fc.tuple(letter, fc.boolean()).map(([char, isEscaped]) => {
    return isEscaped ? escaped(char) : JSON.stringify(char).slice(1, -1);
  });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
      const text = JSON.parse(`"${parts.join('')}"`) as string;
      const found = find(parts.join(''));
      assert.equal(
        found?.isExact === true ? found.name : undefined,
        TABLE.names.find((name) => name === text),
      );
    }),
  );
});
