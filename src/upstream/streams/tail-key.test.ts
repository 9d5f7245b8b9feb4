import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { findTailKey } from './tail-key.ts';

function find(text: string, depth: number): string | undefined {
  const bytes = Buffer.from(text);
  const at = findTailKey(bytes, 0, bytes.length, 'usage', depth);
  return at < 0 ? undefined : text.slice(at);
}

test('the key of the depth is found, and texts and keys after it are not', () => {
  const end = '"user":"usage","metadata":{"usage":"x","a":"usage","b":"\\"usage\\":{}"}}}';
  assert.equal(find(`xx","a":{"usage":1},"usage" : {"n":7},${end}`, 2), `{"n":7},${end}`);
  assert.equal(find(`{"usage":{"n":7}}`, 1), '{"n":7}}');
});

test('a key that the end does not have is not found', () => {
  assert.equal(find('{"metadata":{"usage":"x"}}', 1), undefined);
  assert.equal(find('{"x":"usage"}', 1), undefined);
  assert.equal(find('', 1), undefined);
  assert.equal(find('usage":1}', 1), undefined);
});

test('the value of a whole text is found wherever its key stands', () => {
  const value = fc.jsonValue({ maxDepth: 2 });
  fc.assert(
    fc.property(fc.dictionary(fc.string(), value), fc.dictionary(fc.string(), value), (a, b) => {
      const [before, behind] = [omit(a), omit(b)];
      const text = JSON.stringify({ ...before, usage: { total: 7 }, ...behind });
      assert.ok(find(text, 1)?.startsWith('{"total":7}'), text);
    }),
  );
});

test('never throws on arbitrary bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (array) => {
      const bytes = Buffer.from(array);
      assert.ok(findTailKey(bytes, 0, bytes.length, 'usage', 1) <= bytes.length);
    }),
  );
});

function omit(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== 'usage'));
}
