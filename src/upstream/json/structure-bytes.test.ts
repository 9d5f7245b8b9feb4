import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exceededBound, hasTooMuchStructure } from './structure-bytes.ts';

function exceeds(json: string, maxBytes: number): boolean {
  return hasTooMuchStructure(Buffer.from(json), maxBytes);
}

test('the text of strings is not counted, however long it is', () => {
  const text = 'a "quoted" text with a backslash \\ at its end \\'.repeat(1000);
  assert.equal(exceeds(JSON.stringify({ text }), 12), false);
});

test('numbers, empty values, spaces and short strings are counted', () => {
  for (const unit of ['1,', '{},', '[],', '"",', '"a",', ' ', '\n', '1e5,'])
    assert.equal(exceeds(`{"x":[${unit.repeat(2000)}1]}`, 1000), true, unit);
});

test('a text at the bound passes and one byte more does not', () => {
  // {"":[1,2]} has ten bytes, none of them inside of a string.
  assert.equal(exceeds('{"":[1,2]}', 10), false);
  assert.equal(exceeds('{"":[1,23]}', 10), true);
});

test('a text that ends within a string is left to its reader', () => {
  assert.equal(exceeds(`{"${'x'.repeat(100)}`, 10), false);
});

test('a text that is nested too deeply is left to its reader', () => {
  assert.equal(exceeds('['.repeat(2000), 1000), false);
  assert.equal(exceeds('[]'.repeat(2000), 1000), true);
});

test('fields, objects and lists are counted, and those within strings are not', () => {
  const json = Buffer.from('{"a:{[":[{},1,2,3,"::[["],"b":null}');
  const bounds = { structureBytes: 100, depth: 3 };
  assert.equal(exceededBound(json, { ...bounds, nodes: 5 }), undefined);
  assert.equal(exceededBound(json, { ...bounds, nodes: 4 }), 'nodes');
});

test('a body that is parsed whole is also checked for its structure and its depth', () => {
  const json = Buffer.from('{"a\\"[[[[":[[1,2]],"b":"[[[["}');
  const bounds = { structureBytes: 18, nodes: 10, depth: 3 };
  assert.equal(exceededBound(json, bounds), undefined);
  assert.equal(exceededBound(json, { ...bounds, depth: 2 }), 'depth');
  assert.equal(exceededBound(json, { ...bounds, structureBytes: 17 }), 'structureBytes');
  assert.equal(exceededBound(Buffer.from('{"never ends')), undefined);
});
