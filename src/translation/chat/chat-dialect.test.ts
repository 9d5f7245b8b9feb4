import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ANSWER,
  endOf,
  partsOf,
  read,
  readStream,
  write,
  writeStream,
} from '../../../test/support/translation/dialect-steps.ts';
import { eventsOf } from '../../../test/support/translation/random-conversations.ts';
import { Losses } from '../losses.ts';
import { chatDialect as dialect } from './chat-dialect.ts';

const HELLO = { messages: [{ role: 'user', content: 'Hello' }] };

test('older and newer names, a string and a list for stop, and developer messages are read alike', () => {
  const older = { ...HELLO, max_tokens: 5, stop: 'END' };
  const newer = { ...HELLO, max_completion_tokens: 5, stop: ['END'] };
  assert.deepEqual(read(dialect, older), read(dialect, newer));
  const as = (role: string) => read(dialect, { messages: [{ role, content: 'Be brief.' }] }).system;
  assert.deepEqual(as('developer'), as('system'));
});

test('a provider gets the names of fields that it knows', () => {
  const request = read(dialect, { ...HELLO, stream: true, max_tokens: 5 });
  const written = (chat?: { knowsNewMaximum: boolean; knowsUsageOption: boolean }) => {
    const terms = { maxOutputTokens: 100, ...(chat && { chat }) };
    const { max_tokens, max_completion_tokens, stream_options } = dialect.writeRequest(
      { ...request, isStream: true },
      terms,
      new Losses('strict', dialect.fieldNames),
    );
    return [max_tokens, max_completion_tokens, stream_options];
  };
  const all = [undefined, 5, { include_usage: true }];
  assert.deepEqual(written(), all);
  assert.deepEqual(written({ knowsNewMaximum: true, knowsUsageOption: true }), all);
  const none = written({ knowsNewMaximum: false, knowsUsageOption: false });
  assert.deepEqual(none, [5, undefined, undefined]);
});

test('a maximum of 0 states none and hides no other', () => {
  const maximum = (limits: object) => read(dialect, { ...HELLO, ...limits }).maxOutputTokens;
  assert.equal(maximum({ max_completion_tokens: 0, max_tokens: 5 }), 5);
  assert.equal(maximum({ max_completion_tokens: 5, max_tokens: 0 }), 5);
  assert.equal(maximum({ max_completion_tokens: 0 }), undefined);
});

test('images, files, strict tools, a named tool and a schema are read and written', () => {
  const body = {
    model: 'm',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
          {
            type: 'file',
            file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' },
          },
        ],
      },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'look', parameters: { type: 'object' }, strict: true },
      },
    ],
    tool_choice: { type: 'function', function: { name: 'look' } },
    parallel_tool_calls: false,
    reasoning_effort: 'high',
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'a', schema: { type: 'object' }, strict: true },
    },
  };
  assert.deepEqual(write(dialect, read(dialect, body)), body);
});

test('the images and documents of a tool result follow as the user’s', () => {
  const request = read(dialect, HELLO);
  const source = { kind: 'base64' as const, mediaType: 'image/png', data: 'iVBO' };
  const parts = [
    { kind: 'text' as const, text: 'Seen.' },
    { kind: 'image' as const, source },
  ];
  const result = {
    kind: 'tool_result' as const,
    callId: 'c',
    name: undefined,
    parts,
    isError: true,
  };
  const { messages } = write(dialect, { ...request, turns: [{ role: 'user', parts: [result] }] });
  assert.deepEqual(messages, [
    { role: 'tool', tool_call_id: 'c', content: 'Error: Seen.' },
    {
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }],
    },
  ]);
});

test('an answer has the message, the reason and the counts of OpenAI', () => {
  const { choices, usage, ...head } = dialect.writeAnswer(ANSWER);
  assert.deepEqual(head, {
    id: 'chatcmpl-one',
    object: 'chat.completion',
    created: 1_800_000_000,
    model: 'asked',
    service_tier: 'default',
  });
  const [{ message, finish_reason }] = Object(choices);
  assert.equal(finish_reason, 'tool_calls');
  assert.equal(message.content, 'Hello');
  assert.equal(message.reasoning_content, 'Hm.');
  assert.deepEqual(message.tool_calls, [
    { id: 'call_c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
  ]);
  assert.deepEqual(usage, {
    prompt_tokens: 10,
    completion_tokens: 9,
    total_tokens: 19,
    prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 2, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 4,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  });
});

test('a refusal is read whole and streamed, and counts exclude cached tokens', () => {
  const usage = {
    prompt_tokens: 10,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens: 2,
  };
  const message = { role: 'assistant', content: null, refusal: 'No.' };
  const answer = dialect.readAnswer({ choices: [{ message, finish_reason: 'stop' }], usage });
  assert.deepEqual(answer.parts, [{ kind: 'refusal', text: 'No.' }]);
  assert.deepEqual([answer.usage.input, answer.usage.cacheRead], [6, 4]);
  const events = readStream(
    dialect,
    { choices: [{ index: 0, delta: { refusal: 'N' } }] },
    { choices: [{ index: 0, delta: { refusal: 'o.' } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }] },
    { choices: [], usage },
  );
  assert.deepEqual(partsOf(events), answer.parts);
  assert.deepEqual([endOf(events)?.stop.reason, endOf(events)?.usage], ['filtered', answer.usage]);
});

function callChunk(...calls: readonly object[]) {
  return { choices: [{ index: 0, delta: { tool_calls: calls } }] };
}

test('pieces of parallel tool calls that interleave are joined per call', () => {
  const begun = (index: number, name: string) => ({
    index,
    id: `c${index}`,
    function: { name, arguments: '' },
  });
  const piece = (index: number, text: string) => ({ index, function: { arguments: text } });
  const events = readStream(
    dialect,
    callChunk(begun(0, 'look'), begun(1, 'hear')),
    callChunk(piece(1, '{"b"')),
    callChunk(piece(0, '{"a"'), piece(1, ':2}')),
    callChunk(piece(0, ':1}')),
    { choices: [{ index: 1, delta: { content: 'of another answer' } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  );
  assert.deepEqual(partsOf(events), [
    { kind: 'tool_call', id: 'c0', name: 'look', arguments: '{"a":1}' },
    { kind: 'tool_call', id: 'c1', name: 'hear', arguments: '{"b":2}' },
  ]);
  const first = events.flatMap((event) =>
    event.kind === 'delta' && event.index === 0 ? [event.text] : [],
  );
  assert.deepEqual(first, ['{"a"', ':1}']);
});

test('a stream has the chunks of OpenAI in their order', () => {
  const chunks = writeStream(dialect, eventsOf(ANSWER, 10));
  const deltas = chunks.map((chunk) =>
    Object.keys(Object(chunk['choices'])[0]?.delta ?? {}).join(),
  );
  assert.deepEqual(deltas, [
    'role,content,refusal',
    'reasoning_content',
    'reasoning_signature',
    'content',
    'tool_calls',
    'tool_calls',
    '',
    '',
  ]);
  assert.deepEqual(chunks.at(-1)?.['choices'], []);
  assert.equal(Object(chunks.at(-1)?.['usage']).total_tokens, 19);
});
