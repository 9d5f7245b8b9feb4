import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDataUrl } from './data-url.ts';
import { TranslationProblem } from './dialect.ts';
import { DIALECTS_BY_NAME } from './dialects.ts';
import { checkArguments, MAX_EMBEDDED_STRUCTURE } from './embedded-json.ts';
import { Losses } from './losses.ts';
import type { JsonObject } from './neutral-request.ts';

const LISTS = `{"a":[${'[],'.repeat(MAX_EMBEDDED_STRUCTURE)}1]}`;
const LONG_TEXT = JSON.stringify({ a: '[],'.repeat(MAX_EMBEDDED_STRUCTURE) });

function read(texts: { readonly args: string; readonly result: string }) {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: texts.args } };
  const body: JsonObject = {
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: texts.result },
    ],
  };
  return DIALECTS_BY_NAME.chat.readRequest(
    body,
    { model: 'm', isStream: false },
    new Losses('lenient'),
  );
}

function written(result: string): string {
  const request = read({ args: '{}', result });
  const terms = { maxOutputTokens: 4096 };
  return JSON.stringify(
    DIALECTS_BY_NAME.generate.writeRequest(request, terms, new Losses('lenient')),
  );
}

test('a request with millions of values in the JSON text of its tool calls is refused', () => {
  const { turns } = read({ args: LISTS, result: 'x' });
  assert.throws(() => checkArguments(turns), TranslationProblem);
});

test('long texts in arguments are accepted', () => {
  checkArguments(read({ args: LONG_TEXT, result: LISTS }).turns);
});

test('a tool result of millions of values stays a text for Gemini, a smaller one becomes an object', () => {
  assert.ok(written(LISTS).includes('"response":{"output":"'));
  assert.ok(written('{"a":[1]}').includes('"response":{"a":[1]}'));
  assert.ok(
    written(LONG_TEXT).includes('"response":{"output":"'),
    'one text is the form of a wrapper',
  );
});

test('of a data URL with millions of options the first are read', () => {
  const source = readDataUrl(`data:image/png;base64;${'a;'.repeat(1_000_000)},AAAA`);
  assert.deepEqual(source, { kind: 'base64', mediaType: 'image/png', data: 'AAAA' });
  const startedAt = performance.now();
  readDataUrl(`data:${';'.repeat(20_000_000)}`);
  assert.ok(performance.now() - startedAt < 1000);
});
