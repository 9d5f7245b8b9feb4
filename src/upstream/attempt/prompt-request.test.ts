import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROVIDER_FORMATS } from '../../kernel/provider-format.ts';
import { promptRequest } from './prompt-request.ts';

const PROMPT = {
  text: 'What is this?',
  images: ['data:image/PNG;base64,iVBORw0KGgo='],
  maxOutputTokens: 100,
};

test('Messages: images precede the text, and the output limit is set', () => {
  assert.deepEqual(promptRequest('anthropic', 'claude', PROMPT), {
    model: 'claude',
    max_tokens: 100,
    messages: [
      {
        role: 'user',
        content: [
          {
            type: 'image',
            source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
          },
          { type: 'text', text: 'What is this?' },
        ],
      },
    ],
  });
});

test('Chat: the image is a data URL', () => {
  assert.deepEqual(promptRequest('openai', 'gpt', PROMPT), {
    model: 'gpt',
    max_completion_tokens: 100,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
          { type: 'text', text: 'What is this?' },
        ],
      },
    ],
  });
});

test('Gemini: the model is not in the body', () => {
  assert.deepEqual(promptRequest('gemini', 'gemini', PROMPT), {
    contents: [
      {
        role: 'user',
        parts: [
          { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
          { text: 'What is this?' },
        ],
      },
    ],
    generationConfig: { maxOutputTokens: 100 },
  });
});

test('an image that is not a base64 data URL is refused, naming the field', () => {
  for (const image of [
    '',
    'https://elsewhere/image.png',
    'data:image/png,raw',
    'data:text/html;base64,PGI+',
    'data:image/png;charset=x;base64,AAAA',
    ' data:image/png;base64,AAAA',
    `data:image/${'a'.repeat(100_000)};base64,AAAA`,
  ])
    for (const format of PROVIDER_FORMATS)
      assert.throws(() => promptRequest(format, 'm', { ...PROMPT, images: [image] }), {
        code: 'INVALID_REQUEST',
        params: { field: 'images' },
      });
});
