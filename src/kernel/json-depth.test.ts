import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isNestedTooDeeply, MAX_JSON_DEPTH, structureOf } from './json-depth.ts';

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

test('the maximum depth is accepted and one level more is not', () => {
  assert.equal(isNestedTooDeeply(nested(MAX_JSON_DEPTH)), false);
  assert.equal(isNestedTooDeeply(nested(MAX_JSON_DEPTH + 1)), true);
  assert.equal(isNestedTooDeeply('{"a":'.repeat(MAX_JSON_DEPTH + 1)), true);
});

test('brackets inside strings do not count', () => {
  const brackets = '['.repeat(1000);
  assert.equal(isNestedTooDeeply(JSON.stringify({ text: `\\"${brackets}"\\` })), false);
  assert.equal(isNestedTooDeeply(`"${brackets}`), false);
});

test('siblings do not add up', () => {
  assert.equal(isNestedTooDeeply(JSON.stringify(Array.from({ length: 1000 }, () => [{}]))), false);
});

test('the verdict equals the depth of the parsed value for any JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat(8), (value, maxDepth) => {
      assert.equal(isNestedTooDeeply(JSON.stringify(value), maxDepth), depthOf(value) > maxDepth);
    }),
  );
});

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('the structure of a text is what stands between its strings, up to the maximum', () => {
  assert.equal(structureOf('{"a":"[[[\\"[[[","b":[1]}', 100), 11);
  assert.equal(structureOf('[[[[', 3), 3);
  assert.equal(structureOf('"never ends', 5), 5);
});
