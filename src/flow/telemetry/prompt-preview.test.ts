import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promptPreview } from './prompt-preview.ts';

function previewOf(body: unknown): string | undefined {
  return promptPreview(Buffer.from(JSON.stringify(body)));
}

test('the preview is the text of the last message of the user, in every format', () => {
  const messages = [
    { role: 'user', content: 'first' },
    { role: 'assistant', content: 'answer' },
    { role: 'user', content: [{ type: 'image' }, { type: 'text', text: 'last  one\n' }] },
  ];
  assert.equal(previewOf({ messages }), 'last one');
  assert.equal(previewOf({ contents: [{ role: 'user', parts: [{ text: 'gemini' }] }] }), 'gemini');
  assert.equal(previewOf({ contents: [{ parts: [{ text: 'no role' }] }] }), 'no role');
  assert.equal(previewOf({ input: 'responses' }), 'responses');
  const input = [{ role: 'user', content: [{ type: 'input_text', text: 'items' }] }];
  assert.equal(previewOf({ input }), 'items');
});

test('a preview has 100 characters at most and no broken ones', () => {
  assert.equal(previewOf({ input: '😀'.repeat(300) }), '😀'.repeat(100));
});

test('a huge body and a body without JSON or text have no preview', () => {
  assert.equal(previewOf({ messages: [{ role: 'assistant', content: 'x' }] }), undefined);
  assert.equal(previewOf({ input: 'x'.repeat(2 * 1024 * 1024) }), undefined);
  assert.equal(promptPreview(Buffer.from('{"input":')), undefined);
});
