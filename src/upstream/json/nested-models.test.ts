import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOtherModel } from './nested-models.ts';

function find(body: unknown): string | undefined {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return findOtherModel(Buffer.from(text), 'gemini-embedding-001');
}

const content = { parts: [{ text: '{"model":"models/other"}' }] };

test('requests that name the model of the path are served', () => {
  assert.equal(find({ content }), undefined);
  assert.equal(find({ model: 'models/gemini-embedding-001', content }), undefined);
  const requests = ['models/gemini-embedding-001', 'gemini-embedding-001'].map((model) => ({
    model,
    content,
  }));
  assert.equal(find({ requests }), undefined);
});

test('a request that names another model is found, also under an escaped name', () => {
  assert.equal(find({ model: 'models/gemini-embedding-2', content }), 'model');
  const first = { model: 'models/gemini-embedding-001', content };
  const requests = [first, { model: 'models/gemini-embedding-2', content }];
  assert.equal(find({ requests }), 'requests[].model');
  assert.equal(find('{"requests":[{"mod\\u0065l":"models/other"}]}'), 'requests[].model');
  assert.equal(find({ requests: [{ model: 7 }] }), 'requests[].model');
});
