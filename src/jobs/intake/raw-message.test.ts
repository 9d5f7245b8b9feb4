import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createReadRawMessage } from './raw-message.ts';

const MAPPING = {
  id: 'order.id',
  organization: 'tenant',
  user: 'order.by',
  model: 'ai.model',
  images: 'photos[].url',
  promptTemplate: 'Describe {{ photos }} of {{order.id}} in {{language|English}}.',
};
const MESSAGE = {
  order: { id: 7, by: 'u1' },
  tenant: 'acme',
  ai: { model: 'gemini-3' },
  photos: [{ url: 'https://a.example/1.png' }, { url: 'https://a.example/2.png' }, { alt: 'none' }],
};

suite('a foreign message', () => {
  const read = createReadRawMessage(MAPPING);

  test('is read by the configured paths and the template', () => {
    assert.deepEqual(read(MESSAGE), {
      id: '7',
      organizationId: 'acme',
      userId: 'u1',
      model: 'gemini-3',
      images: ['https://a.example/1.png', 'https://a.example/2.png'],
      prompt: `Describe ${JSON.stringify(MESSAGE.photos)} of 7 in English.`,
    });
  });

  test('keeps its own prompt or request, and the template is not used', () => {
    assert.equal(read({ ...MESSAGE, prompt: 'Hello' }).prompt, 'Hello');
    assert.equal(read({ ...MESSAGE, request: { messages: [] } }).prompt, undefined);
  });

  test("is read under Spillway's own names where a configured field is absent", () => {
    const message = read({ AnalysisId: 'A1', organizationId: 'b', prompt: 'Hello' });
    assert.deepEqual(message, { id: 'A1', organizationId: 'b', prompt: 'Hello' });
  });

  test('accepts one image as a text', () => {
    const one = createReadRawMessage({ images: 'photo', promptTemplate: 'Describe it.' });
    const message = one({ id: 'A1', photo: 'https://a.example/1.png' });
    assert.deepEqual(message.images, ['https://a.example/1.png']);
  });

  test('without a field that the template names is refused with the name', () => {
    const strict = createReadRawMessage({ promptTemplate: 'Describe {{product.title}}.' });
    assert.throws(() => strict({ id: 'A1', product: {} }), {
      code: 'INVALID_REQUEST',
      message: /product\.title/,
    });
  });

  test('without an id, without a prompt or not an object is refused', () => {
    const plain = createReadRawMessage();
    for (const body of [{ prompt: 'Hello' }, { id: 'A1' }, [], 'text', null])
      assert.throws(() => plain(body), { code: 'INVALID_REQUEST' });
  });

  test('reads only own properties of objects', () => {
    const inherited = createReadRawMessage({ id: 'constructor.name', promptTemplate: 'x' });
    assert.throws(() => inherited({ photos: [] }), { code: 'INVALID_REQUEST' });
  });
});
