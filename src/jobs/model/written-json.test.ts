import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWrittenJson, type WrittenJson, writeWithResponse } from './written-json.ts';

const WRITTEN: WrittenJson = { writtenJson: '{"a":[1.50]}', toJSON: () => ({ a: [1.5] }) };

test('a written response is sent as it is written, in an object with and without other fields', () => {
  assert.equal(
    writeWithResponse({ id: 'x', response: WRITTEN }, WRITTEN),
    '{"id":"x","response":{"a":[1.50]}}',
  );
  assert.equal(writeWithResponse({ response: WRITTEN }, WRITTEN), '{"response":{"a":[1.50]}}');
  assert.equal(JSON.stringify({ response: WRITTEN }), '{"response":{"a":[1.5]}}');
});

test('no parsed JSON is a written response', () => {
  assert.ok(isWrittenJson(WRITTEN));
  for (const json of ['{"writtenJson":"1","toJSON":"2"}', '{"writtenJson":"1"}', '"text"', 'null'])
    assert.ok(!isWrittenJson(JSON.parse(json)), json);
});
