// A refusal in place of an answer and a malformed frame are errors of a stream, whatever was relayed before.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapProviderError } from '../../errors/map-provider-error.ts';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { createStreamReader } from './reader.ts';

type Dialect = {
  readonly format: ProviderFormat;
  readonly thinking: string;
  readonly text: string;
  readonly refusal: string;
  readonly end: string;
};

function named(type: string, rest: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

const chunk = (delta: object, finish_reason: string | null): string =>
  data({ id: 'c', choices: [{ index: 0, delta, finish_reason }] });
const candidate = (rest: object): string => data({ candidates: [{ index: 0, ...rest }] });
const part = (value: object): string => candidate({ content: { parts: [value], role: 'model' } });

const DIALECTS: Readonly<Record<string, Dialect>> = {
  Anthropic: {
    format: 'anthropic',
    thinking:
      named('content_block_delta', { delta: { type: 'thinking_delta', thinking: 'Should I?' } }) +
      named('content_block_delta', { delta: { type: 'signature_delta', signature: 'sig' } }),
    text: named('content_block_delta', { delta: { type: 'text_delta', text: 'Well' } }),
    refusal: named('message_delta', {
      delta: { stop_reason: 'refusal', stop_sequence: null },
      usage: { output_tokens: 9 },
    }),
    end: named('message_stop', {}),
  },
  'Chat Completions': {
    format: 'openai',
    thinking: chunk({ reasoning_content: 'Should I?' }, null),
    text: chunk({ content: 'Well' }, null),
    refusal: chunk({}, 'content_filter'),
    end: 'data: [DONE]\n\n',
  },
  Gemini: {
    format: 'gemini',
    thinking: part({ text: 'Should I?', thought: true }),
    text: part({ text: 'Well' }),
    refusal: candidate({ finishReason: 'SAFETY' }),
    end: '',
  },
};

for (const [name, { format, thinking, text, refusal, end }] of Object.entries(DIALECTS)) {
  test(`${name}: a refusal is an error with and without thinking before it`, () => {
    for (const before of ['', thinking]) {
      const reader = createStreamReader(format);
      if (before !== '') assert.ok(reader.push(Buffer.from(before)).contentBegan);
      // A chat reports its usage between the two, which is charged.
      const { error } = reader.push(Buffer.from(refusal + end));
      assert.ok(error, before);
      assert.equal(mapProviderError({ body: error }).code, 'CONTENT_POLICY');
    }
  });

  test(`${name}: a refusal after text is the end of an answer`, () => {
    const reader = createStreamReader(format);
    reader.push(Buffer.from(thinking + text + refusal + end));
    assert.equal(reader.status.error, undefined);
    assert.ok(reader.isComplete());
  });

  test(`${name}: a frame that is not JSON is an error`, () => {
    for (const frame of [
      '{"type":"content_block_delta","delta":{"te',
      '{broken}',
      'not json',
      '[{"error":{"code":500,"message":"internal"}}]',
      '"the provider failed"',
    ]) {
      const reader = createStreamReader(format);
      reader.push(Buffer.from(text));
      assert.equal(reader.status.error, undefined);
      assert.ok(reader.push(Buffer.from(`data: ${frame}\n\n`)).error, frame);
    }
  });
}

for (const [name, { format, text }] of Object.entries(DIALECTS)) {
  test(`${name}: a frame that only states a failure is an error, before and after content`, () => {
    for (const frame of [
      '{"detail":"the backend at 10.0.0.1 has failed"}',
      '{"message":"internal"}',
      '{"msg":"internal"}',
      '{"error_message":"internal"}',
      '{"errors":[{"reason":"internal"}]}',
      '{"code":500,"status":{"message":"internal"}}',
      '{"type":"about:blank","title":"Bad Gateway","status":502}',
      '{"object":"error","message":"internal","type":"BadRequestError","code":400}',
    ])
      for (const before of ['', text]) {
        const reader = createStreamReader(format);
        if (before !== '') reader.push(Buffer.from(before));
        assert.equal(reader.status.error, undefined);
        const { error } = reader.push(Buffer.from(`data: ${frame}\n\n`));
        assert.equal(error?.toString(), frame, `${frame} behind ${before}`);
      }
  });

  test(`${name}: unknown frames that state no failure are relayed`, () => {
    for (const frame of [
      '{}',
      '{"id":"c","x_groq":{"id":"r"}}',
      '{"id":"c","object":"chat.completion.chunk","usage":null,"error":null,"message":""}',
      '{"type":"ping"}',
      '{"errors":[],"detail":null,"status":"processing"}',
      '{"id":"c","choices":[],"cost":"0","message":"a note"}',
    ]) {
      const reader = createStreamReader(format);
      reader.push(Buffer.from(text));
      assert.equal(reader.push(Buffer.from(`data: ${frame}\n\n`)).error, undefined, frame);
    }
  });
}

test('a failure under the name of a cut event is an error', () => {
  for (const [format, name] of [
    ['anthropic', 'content_block_delta'],
    ['openai', 'response.output_text.delta'],
  ] as const) {
    const reader = createStreamReader(format);
    reader.push(Buffer.from(`event: ${name}\ndata: {"detail":"internal"}\n\n`));
    assert.ok(reader.status.error, name);
  }
});

test('a failure after a cut line of an event is an error', () => {
  const reader = createStreamReader('openai');
  reader.push(Buffer.from('data: {"choices":[{"delta":{"con\ndata: {"detail":"internal"}\n\n'));
  assert.ok(reader.status.error);
});

test('comments and empty events are no malformed frames', () => {
  for (const { format, text } of Object.values(DIALECTS)) {
    const reader = createStreamReader(format);
    reader.push(Buffer.from(`: keep-alive\n\n${text}data:\n\nevent: ping\ndata: {}\n\n`));
    assert.equal(reader.status.error, undefined);
  }
});

for (const kind of ['response.completed', 'response.incomplete'])
  test(`${kind} with an error is an error, and without one an end`, () => {
    const eventWith = (error: object | null) =>
      Buffer.from(
        `event: ${kind}\ndata: ${JSON.stringify({ type: kind, response: { id: 'r', error } })}\n\n`,
      );
    const failing = createStreamReader('openai');
    assert.ok(failing.push(eventWith({ code: 'server_error', message: 'internal' })).error);
    assert.equal(failing.isComplete(), false);
    const ending = createStreamReader('openai');
    assert.equal(ending.push(eventWith(null)).error, undefined);
    assert.ok(ending.isComplete());
  });
