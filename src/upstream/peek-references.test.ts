import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peekReferences } from './peek-references.ts';

function peek(request: unknown) {
  return peekReferences(Buffer.from(JSON.stringify(request)));
}

test('a request that carries everything refers to nothing', () => {
  const request = { messages: [{ role: 'user', content: 'what is a "file_id" or a "document"?' }] };
  assert.deepEqual(peek(request), { isUnbounded: false, pictures: 0 });
});

test('stored conversations and files can be of any length', () => {
  assert.equal(peek({ previous_response_id: 'resp_1', input: 'go on' }).isUnbounded, true);
  assert.equal(peek({ input: [{ type: 'input_file', file_id: 'file_1' }] }).isUnbounded, true);
  assert.equal(peek({ contents: [{ parts: [{ fileData: { fileUri: 'x' } }] }] }).isUnbounded, true);
});

test('a document at an address is unbounded, one that is carried is not', () => {
  const document = (source: object) => ({ content: [{ type: 'document', source }] });
  assert.equal(peek(document({ type: 'url', url: 'https://example.com/a.pdf' })).isUnbounded, true);
  assert.equal(peek(document({ type: 'base64', data: 'AAAA' })).isUnbounded, false);
});

test('pictures at addresses are counted', () => {
  const picture = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
  assert.ok(peek({ content: [picture, picture] }).pictures >= 2);
});
