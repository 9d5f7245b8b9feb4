import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { editBody } from '../json/edit-body.ts';
import { NameTable } from '../json/name-table.ts';
import { peekFields } from '../json/peek-fields.ts';
import { renameModelEdit, renameNestedModels } from './rename-model.ts';

test('only the model of a body is replaced', () => {
  const body = Buffer.from('{ "x":1e3,\n"model" : "fast", "text":"fast" }');
  const peeked = peekFields(body, new NameTable(['model']));
  const span = peeked.ok ? peeked.fields.get('model') : undefined;
  assert.ok(span);
  assert.equal(
    String(editBody(body, [renameModelEdit(span, 'gpt-"5"')])),
    '{ "x":1e3,\n"model" : "gpt-\\"5\\"", "text":"fast" }',
  );
});

test('the model of every request of a batch is replaced, equal text elsewhere is not', () => {
  const request = (text: string) => ({ model: 'models/fast', content: { parts: [{ text }] } });
  const texts = ['models/fast', '"model":"models/fast"', '{"model": "models/fast"}'];
  const body = Buffer.from(JSON.stringify({ requests: texts.map(request) }, null, 2));
  const renamed: unknown = JSON.parse(String(renameNestedModels(body, 'fast', 'gemini-x')));
  const expected = texts.map((text) => ({ ...request(text), model: 'models/gemini-x' }));
  assert.deepEqual(renamed, { requests: expected });
});

test('the texts of any batch are unchanged by the rename', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
      const made = (model: string) => texts.map((text) => ({ text, model: `models/${model}` }));
      const body = Buffer.from(JSON.stringify({ requests: made('a') }));
      const renamed: unknown = JSON.parse(String(renameNestedModels(body, 'a', 'b')));
      assert.deepEqual(renamed, { requests: JSON.parse(JSON.stringify(made('b'))) });
    }),
  );
});

test('a body without that model is returned unchanged', () => {
  const body = Buffer.from('{"requests":[{"model":"models/other"}]}');
  assert.equal(renameNestedModels(body, 'fast', 'x'), body);
});
