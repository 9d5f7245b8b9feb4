import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { createStreamGatherer } from './gather-stream.ts';

/** The assembled body of the events; a string is sent unchanged. */
function answerOf(format: ProviderFormat, ...events: readonly (object | string)[]): unknown {
  const gatherer = createStreamGatherer(format, 2 ** 20);
  for (const event of events) {
    const text = typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`;
    assert.ok(gatherer.push(Buffer.from(text)));
  }
  return JSON.parse(gatherer.body()?.toString() ?? 'null');
}

suite('Messages', () => {
  const start = { type: 'message_start', message: { id: 'm', content: [], usage: { a: 1, b: 2 } } };
  const block = (index: number, content_block: object) => ({
    type: 'content_block_start',
    index,
    content_block,
  });
  const delta = (index: number, piece: object) => ({
    type: 'content_block_delta',
    index,
    delta: piece,
  });

  test('citations, unknown blocks and fields of an update are kept', () => {
    const answer = answerOf(
      'anthropic',
      start,
      block(0, { type: 'text', text: '', citations: null }),
      delta(0, { type: 'text_delta', text: 'Hi' }),
      delta(0, { type: 'citations_delta', citation: { cited_text: 'a', index: 0 } }),
      delta(0, { type: 'citations_delta', citation: { cited_text: 'b', index: 0 } }),
      block(1, { type: 'redacted_thinking', data: 'x' }),
      block(2, { type: 'compaction', content: null }),
      delta(2, { type: 'compaction_delta', content: 'so ' }),
      delta(2, { type: 'compaction_delta', content: 'far' }),
      { type: 'surprise', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', container: null },
        usage: { b: 9, c: null },
        context_management: { applied_edits: [] },
      },
      { type: 'message_stop' },
    );
    assert.deepEqual(answer, {
      id: 'm',
      stop_reason: 'end_turn',
      container: null,
      context_management: { applied_edits: [] },
      content: [
        {
          type: 'text',
          text: 'Hi',
          citations: [
            { cited_text: 'a', index: 0 },
            { cited_text: 'b', index: 0 },
          ],
        },
        { type: 'redacted_thinking', data: 'x' },
        { type: 'compaction', content: 'so far' },
      ],
      usage: { a: 1, b: 9, c: null },
    });
  });

  test('a tool whose input was cut keeps its initial input', () => {
    const tool = { type: 'tool_use', id: 't', name: 'look', input: {} };
    const half = delta(0, { type: 'input_json_delta', partial_json: '{"city":"Par' });
    const answer = answerOf('anthropic', start, block(0, tool), half, { type: 'message_stop' });
    assert.deepEqual(answer, { id: 'm', content: [tool], usage: { a: 1, b: 2 } });
  });
});

suite('Chat Completions', () => {
  const chunk = (choices: readonly object[], rest: object = {}) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    model: 'm',
    obfuscation: 'x',
    choices,
    ...rest,
  });
  const call = (index: number, fields: object) => ({ tool_calls: [{ index, ...fields }] });

  test('interleaved choices and calls are joined by index', () => {
    const answer = answerOf(
      'openai',
      chunk([
        { index: 1, delta: { role: 'assistant', content: 'B' }, finish_reason: null },
        { index: 0, delta: { role: 'assistant', content: 'A' }, finish_reason: null },
      ]),
      chunk([
        { index: 0, delta: call(1, { id: 'c1', function: { name: 'g', arguments: '' } }) },
        { index: 0, delta: call(0, { id: 'c0', function: { name: 'f', arguments: '{' } }) },
      ]),
      chunk([
        { index: 0, delta: call(1, { function: { arguments: '[]' } }) },
        { index: 0, delta: call(0, { function: { arguments: '}' } }) },
        { index: 1, delta: { content: 'b', reasoning_content: 'hm' } },
      ]),
      chunk([{ index: 0, delta: {}, finish_reason: 'tool_calls' }]),
      chunk([{ index: 1, delta: {}, finish_reason: 'stop' }], { usage: null }),
      chunk([], { usage: { total_tokens: 3 } }),
      'data: [DONE]\n\n',
    );
    const empty = { role: 'assistant', refusal: null, annotations: [] };
    assert.deepEqual(answer, {
      id: 'c',
      object: 'chat.completion',
      model: 'm',
      usage: { total_tokens: 3 },
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            ...empty,
            content: 'A',
            tool_calls: [
              { id: 'c0', function: { name: 'f', arguments: '{}' } },
              { id: 'c1', function: { name: 'g', arguments: '[]' } },
            ],
          },
        },
        {
          index: 1,
          finish_reason: 'stop',
          message: { ...empty, content: 'Bb', reasoning_content: 'hm' },
        },
      ],
    });
  });

  test('token probabilities are appended from chunk to chunk', () => {
    const piece = (token: string) =>
      chunk([{ index: 0, delta: { content: token }, logprobs: { content: [{ token }] } }]);
    const answer = answerOf('openai', piece('a'), piece('b'), 'data: [DONE]\n\n');
    assert.match(
      JSON.stringify(answer),
      /"logprobs":\{"content":\[\{"token":"a"\},\{"token":"b"\}\]\}/,
    );
  });
});

test('Responses: items missing from the last event are taken from the finished items', () => {
  const item = { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] };
  const answer = answerOf(
    'openai',
    { type: 'response.output_text.delta', delta: 'Hi' },
    { type: 'response.output_item.done', output_index: 1, item },
    { type: 'response.output_item.done', output_index: 0, item: { type: 'reasoning' } },
    { type: 'response.incomplete', response: { status: 'incomplete', output: [] } },
  );
  assert.deepEqual(answer, { status: 'incomplete', output: [{ type: 'reasoning' }, item] });
});

test('Gemini: a part with a signature stays separate, and candidates are ordered by index', () => {
  const parts = (index: number, ...given: readonly object[]) => ({
    candidates: [{ index, content: { role: 'model', parts: given } }],
  });
  const answer = answerOf(
    'gemini',
    parts(1, { text: 'other' }),
    parts(0, { text: 'a' }, { text: 'b' }),
    parts(0, { text: 'c', thoughtSignature: 's' }, { text: 'd' }),
    { candidates: [{ finishReason: 'STOP' }], usageMetadata: { totalTokenCount: 1 } },
  );
  assert.deepEqual(answer, {
    candidates: [
      {
        index: 0,
        finishReason: 'STOP',
        content: {
          role: 'model',
          parts: [{ text: 'ab' }, { text: 'c', thoughtSignature: 's' }, { text: 'd' }],
        },
      },
      { index: 1, content: { role: 'model', parts: [{ text: 'other' }] } },
    ],
    usageMetadata: { totalTokenCount: 1 },
  });
});
