import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { peekReferences } from './references.ts';

function peek(format: ProviderFormat, request: unknown) {
  return peekReferences(format, Buffer.from(JSON.stringify(request)));
}

test('a self-contained request has no references', () => {
  const text = 'what is a "file_id", a "previous_response_id", a "fileUri" or an "image_url"?';
  for (const format of ['anthropic', 'openai', 'gemini'] as const)
    assert.deepEqual(peek(format, { messages: [{ role: 'user', content: text }] }), {
      isUnbounded: false,
      images: 0,
    });
});

test('a file reference is unbounded', () => {
  const isUnbounded = (format: ProviderFormat, request: unknown) =>
    peek(format, request).isUnbounded;
  assert.ok(isUnbounded('openai', { input: [{ type: 'input_file', file_id: 'file_1' }] }));
  assert.ok(isUnbounded('gemini', { contents: [{ parts: [{ fileData: { fileUri: 'x' } }] }] }));
  assert.ok(isUnbounded('anthropic', { content: [{ source: { type: 'file', file_id: 'f' } }] }));
});

test('a document by URL is unbounded, an inline document is not', () => {
  const document = (source: object) => ({ content: [{ type: 'document', source }] });
  const remote = document({ type: 'url', url: 'https://example.com/a.pdf' });
  assert.equal(peek('anthropic', remote).isUnbounded, true);
  assert.equal(peek('anthropic', document({ type: 'base64', data: 'AA' })).isUnbounded, false);
});

test('image URLs are counted', () => {
  const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
  assert.ok(peek('openai', { content: [image, image] }).images >= 2);
});
