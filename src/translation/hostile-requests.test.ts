// Requests that no SDK sends: every reader and writer refuses them by field or translates them, in bounded time and
// size, and fails in no other way.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TranslationProblem } from './dialect.ts';
import { DIALECTS_BY_NAME } from './dialects.ts';
import { isObject } from './fields.ts';
import { Losses, UntranslatableField } from './losses.ts';
import { DIALECTS, type DialectName, type JsonObject } from './neutral-request.ts';

const TERMS = { model: 'm', isStream: false };

function translate(from: DialectName, to: DialectName, body: JsonObject): string {
  const losses = new Losses('lenient');
  const request = DIALECTS_BY_NAME[from].readRequest(body, TERMS, losses);
  const limits = { maxOutputTokens: 4096 };
  return JSON.stringify(DIALECTS_BY_NAME[to].writeRequest(request, limits, losses));
}

// Names that the readers know, so that random values reach deep into them.
// biome-ignore format: a table
const NAMES = [
  'messages', 'input', 'contents', 'role', 'content', 'parts', 'type', 'text', 'tools', 'system', 'name', 'function',
  'tool_calls', 'arguments', 'functionCall', 'functionResponse', 'response', 'inlineData', 'source', 'data', 'image_url',
  'url', 'id', 'call_id', 'output', 'summary', 'thinking', 'signature', 'generationConfig', 'stop', 'parameters',
  'tool_choice', 'reasoning', '__proto__', 'constructor', 'toString', 'thoughtSignature', 'encrypted_content',
];
// biome-ignore format: a table
const WORDS = [
  'user', 'assistant', 'model', 'system', 'tool', 'text', 'image', 'tool_use', 'tool_result', 'function', 'function_call',
  'reasoning', 'message', 'input_text', 'data:', 'data:;base64', 'constructor', '__proto__', 'spillway.messages.', '',
];

const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom<unknown>(...WORDS),
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.string()),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(fc.constantFrom(...NAMES), tie('value')), { maxLength: 6 }).map(ownFields),
  ),
}));
const anyBody = fc
  .array(fc.tuple(fc.constantFrom(...NAMES), anyValue), { maxLength: 8 })
  .map(ownFields);

/** As JSON.parse makes them: `__proto__` is a field like any other. */
function ownFields(entries: readonly (readonly [string, unknown])[]): JsonObject {
  return Object.fromEntries(entries);
}

for (const from of DIALECTS)
  test(`a ${from} request of any form is translated or refused by field`, () => {
    fc.assert(
      fc.property(anyBody, fc.constantFrom(...DIALECTS), (body, to) => {
        try {
          translate(from, to, body);
        } catch (thrown) {
          assert.ok(
            thrown instanceof TranslationProblem || thrown instanceof UntranslatableField,
            String(thrown),
          );
          assert.notEqual(thrown.path, '');
        }
      }),
      { numRuns: 500 },
    );
  });

test('a name that only the prototype of a table has is no stop reason', () => {
  for (const name of ['constructor', '__proto__', 'toString']) {
    const { messages, chat, generate, responses } = DIALECTS_BY_NAME;
    const reasons = [
      messages.readAnswer({ content: [], stop_reason: name }),
      chat.readAnswer({ choices: [{ message: {}, finish_reason: name }] }),
      generate.readAnswer({ candidates: [{ finishReason: name }] }),
      responses.readAnswer({ output: [], incomplete_details: { reason: name } }),
    ].map(({ stop }) => stop.reason);
    assert.deepEqual(reasons, ['end', 'end', 'end', 'max_tokens']);
  }
});

test('a field named __proto__ changes no object and is reported', () => {
  const body: unknown = JSON.parse('{"messages":[],"__proto__":{"polluted":true}}');
  assert.ok(isObject(body));
  for (const from of ['messages', 'chat', 'generate'] as const) {
    const losses = new Losses('lenient');
    DIALECTS_BY_NAME[from].readRequest(body, TERMS, losses);
    assert.ok(losses.dropped.includes('__proto__'), from);
  }
  assert.equal(Reflect.get({}, 'polluted'), undefined);
});

test('the size of a translated body is proportional to the size of the request', () => {
  const name = 'n'.repeat(200_000);
  const results = Array.from({ length: 100 }, () => ({
    role: 'tool',
    tool_call_id: 'c',
    content: '',
  }));
  const call = { id: 'c', type: 'function', function: { name, arguments: '{}' } };
  const messages = [{ role: 'assistant', tool_calls: [call] }, ...results];
  assert.throws(
    () => translate('chat', 'generate', { messages }),
    (error) =>
      error instanceof TranslationProblem &&
      error.path === 'messages[0].tool_calls[0].function.name',
  );
});

test('ten thousand turns and calls are translated to every format', () => {
  const turns = Array.from({ length: 10_000 }, () => ({ role: 'user', content: 'x' }));
  const calls = Array.from({ length: 10_000 }, () => ({ functionCall: { name: 'f' } }));
  const responses = calls.map(() => ({ functionResponse: { name: 'g', response: {} } }));
  const contents = [
    { role: 'model', parts: calls },
    { role: 'user', parts: responses },
  ];
  for (const to of DIALECTS) {
    assert.ok(translate('chat', to, { messages: turns }).length < 1_000_000);
    assert.ok(translate('generate', to, { contents }).length < 4_000_000);
  }
});

test('a list beyond the bounds is refused', () => {
  const messages = Array.from({ length: 100_001 }, () => null);
  assert.throws(() => translate('chat', 'messages', { messages }), /messages: has too many/);
});
