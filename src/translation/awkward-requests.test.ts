// Requests that are legal and rare: each is translated whole or refused by the name of a field, never shortened silently.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read, write } from '../../test/support/translation/dialect-steps.ts';
import { VENDOR_REQUESTS } from '../../test/support/translation/vendor-requests.ts';
import { DIALECTS_BY_NAME } from './dialects.ts';
import { DIALECTS, type DialectName, type JsonObject } from './neutral-request.ts';

const PICTURE = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
const QUESTION = { role: 'user', content: 'Hello' };
const MODEL_TURN = { role: 'model', parts: [PICTURE] };

const REFUSED: readonly (readonly [DialectName, JsonObject, string])[] = [
  ['chat', { messages: [{ role: 'assistant', function_call: {} }] }, 'messages[0].function_call'],
  ['chat', { messages: [{ role: 'assistant', audio: { id: 'a' } }] }, 'messages[0].audio'],
  [
    'chat',
    {
      messages: [
        {
          role: 'assistant',
          content: [{ type: 'image_url', image_url: { url: 'https://a.b/c' } }],
        },
      ],
    },
    'messages[0].content[0].image',
  ],
  [
    'messages',
    {
      messages: [
        {
          role: 'assistant',
          content: [{ type: 'image', source: { type: 'url', url: 'https://a.b/c' } }],
        },
      ],
    },
    'messages[0].content[0].image',
  ],
  [
    'responses',
    {
      input: [{ role: 'system', content: [{ type: 'input_image', image_url: 'https://a.b/c' }] }],
    },
    'input[0].content[0].image',
  ],
  ['responses', { input: 'a', top_logprobs: 3 }, 'top_logprobs'],
  ['responses', { input: 'a', include: ['message.output_text.logprobs'] }, 'include'],
  ['generate', { contents: [MODEL_TURN] }, 'contents[0].parts[0].image'],
  [
    'generate',
    { contents: [], generationConfig: { thinkingConfig: { thinkingLevel: 'ODD' } } },
    'generationConfig.thinkingConfig.thinkingLevel',
  ],
  [
    'generate',
    { contents: [], generationConfig: { responseMimeType: 'text/x.enum', responseSchema: {} } },
    'generationConfig.responseMimeType',
  ],
];

for (const [name, body, path] of REFUSED)
  test(`${path} of ${name} is refused by its name`, () => {
    assert.throws(
      () => read(DIALECTS_BY_NAME[name], body),
      (error) => error instanceof Error && Reflect.get(error, 'path') === path,
    );
  });

const ACCEPTED: Readonly<Record<string, readonly [DialectName, JsonObject]>> = {
  'instructions alone': ['chat', { messages: [{ role: 'system', content: 'Say hello.' }] }],
  'a turn without content': [
    'chat',
    { messages: [QUESTION, { role: 'assistant', content: '' }, QUESTION] },
  ],
  'a thought alone': [
    'responses',
    { input: [QUESTION, { type: 'reasoning', id: 'rs_1', summary: [] }, QUESTION] },
  ],
  'a tool with a schema without a type': [
    'chat',
    {
      messages: [QUESTION],
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
    },
  ],
  'several instructions between turns': [
    'chat',
    { messages: [QUESTION, { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] }] },
  ],
  'results in another order than their calls': [
    'chat',
    {
      messages: [
        QUESTION,
        {
          role: 'assistant',
          tool_calls: ['a', 'b'].map((id) => ({
            id,
            type: 'function',
            function: { name: 'f', arguments: '' },
          })),
        },
        { role: 'tool', tool_call_id: 'b', content: '' },
        QUESTION,
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: '1' }] },
      ],
    },
  ],
  'defaults that are stated': [
    'generate',
    {
      contents: [{ parts: [{ text: 'Hello' }] }],
      safetySettings: [{ threshold: 'HARM_BLOCK_THRESHOLD_UNSPECIFIED' }],
      generationConfig: { candidateCount: 1, responseLogprobs: false },
    },
  ],
};

for (const [what, [name, body]] of Object.entries(ACCEPTED))
  for (const target of DIALECTS.filter((each) => each !== name))
    test(`${what} in ${name} is written as ${target}`, () => {
      const written = write(DIALECTS_BY_NAME[target], read(DIALECTS_BY_NAME[name], body));
      const sent: unknown = JSON.parse(JSON.stringify(written));
      const checked = VENDOR_REQUESTS[target].safeParse(sent);
      assert.ok(checked.success, `${checked.error?.message} ${JSON.stringify(sent)}`);
    });
