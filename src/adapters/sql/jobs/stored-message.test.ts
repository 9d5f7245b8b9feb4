import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import { createReadRawMessage } from '../../../jobs/intake/raw-message.ts';
import { readBody } from '../../../jobs/intake/read-delivery.ts';
import type { JobMessage } from '../../../jobs/model/job-message.ts';
import { fromStoredText, toStoredText } from './stored-message.ts';

function messageOf(body: string, readRawMessage = createReadRawMessage()): JobMessage {
  const read = readBody({ readRawMessage }, { id: 'd', body, deliveries: 1 });
  if (read.kind !== 'message') throw new Error('the body is no message');
  return read.message;
}

suite('the stored text of a message', () => {
  test('every message is read as it was stored', () => {
    const value = fc.jsonValue();
    const body = fc.record(
      {
        id: fc.string({ minLength: 1, unit: 'grapheme-ascii' }),
        prompt: fc.string({ minLength: 1 }),
        request: fc.dictionary(fc.string(), value),
        metadata: fc.dictionary(fc.string(), value),
        images: fc.array(fc.constantFrom('https://example.com/a.png', 'data:image/png;base64,AA')),
        other: value,
      },
      { requiredKeys: ['id', 'prompt'] },
    );
    fc.assert(
      fc.property(body, (fields) => {
        const message = messageOf(JSON.stringify(fields));
        const stored = fromStoredText(toStoredText(message));
        assert.deepEqual(stored, JSON.parse(JSON.stringify(message)));
      }),
    );
  });

  test('a field that the delivered body has under its own name is stored once', () => {
    const prompt = 'p'.repeat(1000);
    const image = `data:image/png;base64,${'A'.repeat(1000)}`;
    const body = JSON.stringify({ AnalysisId: 'a', prompt, images: [image], request: { prompt } });
    const text = toStoredText(messageOf(body));
    assert.equal(text.split(prompt).length, 3);
    assert.equal(text.split(image).length, 2);
  });

  test('a renamed or rendered field is stored in addition to the delivered body', () => {
    const reader = createReadRawMessage({ images: 'photos[].url', promptTemplate: 'Do {{task}}' });
    const fields = { id: 'a', task: 'it', photos: [{ url: 'https://example.com/a' }] };
    const message = messageOf(JSON.stringify({ ...fields, images: ['ignored'] }), reader);
    const stored = fromStoredText(toStoredText(message));
    assert.deepEqual([stored.prompt, stored.images], ['Do it', ['https://example.com/a']]);
  });

  test('a field with another value than in the body keeps the value that was read', () => {
    const message = messageOf('{"id":"a","request":{"n":1,"__proto__":{"stream":true}}}');
    const stored = fromStoredText(toStoredText(message));
    assert.deepEqual(stored.request, message.request);
    assert.deepEqual(Object.keys(stored.request ?? {}), Object.keys(message.request ?? {}));
  });

  test("a caller's message is stored as it is", () => {
    const message = { id: 'a', prompt: 'hi', request: { messages: [] } };
    assert.equal(toStoredText(message), JSON.stringify(message));
    assert.deepEqual(fromStoredText(toStoredText(message)), message);
  });
});
