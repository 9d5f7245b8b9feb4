import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { NO_USAGE, type Usage } from '../../kernel/usage.ts';
import { createStreamReader, type StreamReader } from './reader.ts';
import type { StreamStatus } from './state.ts';

function named(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;
}

function unnamed(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function textDelta(text: string): string {
  return named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });
}

function chat(delta: object, rest: object = {}): string {
  return unnamed({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    model: 'gpt-5',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...rest }],
    usage: null,
    obfuscation: 'abc',
  });
}

function gemini(parts: object[], rest: object = {}, usage: object = {}): object {
  return {
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...rest }],
    usageMetadata: { promptTokenCount: 10, totalTokenCount: 10, ...usage },
    modelVersion: 'gemini-2.5-pro',
  };
}

const MESSAGE_START = named('message_start', {
  message: {
    id: 'msg_1',
    model: 'claude-sonnet-4',
    content: [],
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 300,
      cache_read_input_tokens: 2000,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
      output_tokens: 1,
    },
  },
});
const PING = named('ping', {});
const BLOCK_START = named('content_block_start', {
  index: 0,
  content_block: { type: 'text', text: '' },
});
const MESSAGE_DELTA = named('message_delta', {
  delta: { stop_reason: 'end_turn' },
  usage: { output_tokens: 45, cache_creation_input_tokens: 300, input_tokens: 10 },
});
const MESSAGE_STOP = named('message_stop', {});
const ROLE_ONLY = chat({ role: 'assistant', content: '', refusal: null });

/** Pushes each text as one chunk and copies the status after it. */
function read(format: ProviderFormat, ...chunks: string[]): [StreamReader, StreamStatus[]] {
  const reader = createStreamReader(format);
  return [reader, chunks.map((chunk) => ({ ...reader.push(Buffer.from(chunk)) }))];
}

function contentAfter(format: ProviderFormat, ...chunks: string[]): boolean[] {
  return read(format, ...chunks)[1].map((status) => status.contentBegan);
}

function tokens(parts: Partial<Usage>): Usage {
  return { ...NO_USAGE, ...parts };
}

test('Messages: content begins with the first non-empty text', () => {
  assert.deepEqual(
    contentAfter('anthropic', MESSAGE_START, PING, BLOCK_START, textDelta(''), textDelta('Hi')),
    [false, false, false, false, true],
  );
});

test('Messages: thinking, tool calls and whole blocks are content', () => {
  const start = (block: object): string =>
    named('content_block_start', { index: 0, content_block: block });
  const delta = (parts: object): string => named('content_block_delta', { index: 0, delta: parts });
  assert.deepEqual(contentAfter('anthropic', start({ type: 'thinking', thinking: '' })), [false]);
  for (const event of [
    delta({ type: 'thinking_delta', thinking: 'hm' }),
    delta({ type: 'input_json_delta', partial_json: '{"a' }),
    delta({ type: 'citations_delta', citation: { type: 'page_location' } }),
    start({ type: 'tool_use', id: 't', name: 'text', input: {} }),
    start({ type: 'redacted_thinking', data: 'xyz' }),
    start({ type: 'web_search_tool_result', content: [{ type: 'text', text: '' }] }),
  ])
    assert.deepEqual(contentAfter('anthropic', event), [true], event);
});

test('Messages: usage comes in two events and no cached token is counted twice', () => {
  const [reader, steps] = read(
    'anthropic',
    MESSAGE_START + BLOCK_START,
    textDelta('Hello, world'),
    MESSAGE_DELTA,
    MESSAGE_STOP,
  );
  assert.deepEqual(
    reader.usage(),
    tokens({
      inputTokens: 10,
      outputTokens: 45,
      cacheReadTokens: 2000,
      cacheWriteTokens: 100,
      cacheWrite1hTokens: 200,
    }),
  );
  assert.deepEqual(
    steps.map((status) => [status.broughtContent, status.terminal]),
    [
      [false, false],
      [true, false],
      [false, false],
      [false, true],
    ],
  );
  assert.equal(reader.outputBytes, 12);
  assert.equal(reader.isComplete(), true);
});

test('Messages: a stream without event names is read by its types', () => {
  const stream = (MESSAGE_START + textDelta('Hi') + MESSAGE_DELTA + MESSAGE_STOP).replaceAll(
    /event: .*\n/g,
    '',
  );
  const [reader] = read('anthropic', stream);
  assert.equal(reader.status.contentBegan, true);
  assert.equal(reader.status.terminal, true);
  assert.equal(reader.usage()?.outputTokens, 45);
});

test('Messages: a cut stream is incomplete and keeps its usage', () => {
  const [reader] = read('anthropic', MESSAGE_START + textDelta('Hi') + MESSAGE_DELTA);
  assert.equal(reader.isComplete(), false);
  assert.equal(reader.usage()?.inputTokens, 10);
  const [half] = read('anthropic', 'event: message_stop\ndata: {"type":"mess');
  assert.equal(half.isComplete(), false);
});

test('an error event is reported unchanged, before and after content', () => {
  const data = { error: { type: 'overloaded_error', message: 'Overloaded' } };
  for (const before of [MESSAGE_START, MESSAGE_START + textDelta('Hi')]) {
    const [reader] = read('anthropic', before, named('error', data));
    assert.deepEqual(JSON.parse(String(reader.status.error)), { type: 'error', ...data });
    assert.equal(reader.isComplete(), false);
  }
  const [openai] = read('openai', chat({ content: 'Hi' }), unnamed({ error: { code: 500 } }));
  assert.deepEqual(JSON.parse(String(openai.status.error)), { error: { code: 500 } });
  const [google] = read('gemini', unnamed({ error: { code: 503, status: 'UNAVAILABLE' } }));
  assert.equal(String(google.status.error), '{"error":{"code":503,"status":"UNAVAILABLE"}}');
});

test('Messages: an error after a cut event name is an error', () => {
  const half = textDelta('Hi').slice(0, 25);
  const error = named('error', { type: 'error', error: { type: 'overloaded_error' } });
  const [reader] = read('anthropic', textDelta('Hi'), half, error);
  assert.match(String(reader.status.error), /overloaded_error/);
});

test('an error joined to a cut event is an error, in every format', () => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  const half = {
    anthropic: textDelta('Hi').trimEnd().slice(0, -9),
    openai: chat({ content: 'Hi' }).trimEnd().slice(0, -30),
    gemini: unnamed(gemini([{ text: 'Hi' }]))
      .trimEnd()
      .slice(0, -12),
  } as const;
  for (const format of ['anthropic', 'openai', 'gemini'] as const) {
    for (const glue of ['\n', 'event: error\n', '\nevent: error\n', '\r\n']) {
      const [reader] = read(format, half[format] + glue + unnamed(error));
      assert.deepEqual(JSON.parse(String(reader.status.error)), error, `${format} ${glue}`);
    }
  }
  const failed = { type: 'response.failed', response: { error: { code: 'server_error' } } };
  const [responses] = read('openai', `data: {"type":"resp\n${unnamed(failed)}`);
  assert.match(String(responses.status.error), /server_error/);
});

test('an event of several data lines is read as one', () => {
  const lines = JSON.stringify({ error: null, ...gemini([{ text: 'Hi' }]) }, undefined, 1);
  const event = lines.split('\n').map((line) => `data: ${line}\n`);
  const [reader] = read('gemini', `${event.join('')}\n`);
  assert.equal(reader.status.error, undefined);
  assert.equal(reader.status.contentBegan, true);
});

test('Chat Completions: text, refusals, reasoning and calls are content, a role alone is not', () => {
  assert.deepEqual(contentAfter('openai', ROLE_ONLY, ': keep-alive\n\n', chat({})), [
    false,
    false,
    false,
  ]);
  for (const delta of [
    { content: 'Hi' },
    { refusal: 'No' },
    { reasoning_content: 'hm' },
    { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"a' } }] },
    { function_call: { name: 'f', arguments: '' } },
  ])
    assert.deepEqual(contentAfter('openai', chat(delta)), [true], JSON.stringify(delta));
});

test('Chat Completions: the input of a custom tool and the parts of a list are content', () => {
  const reader = createStreamReader('openai');
  const read = (delta: object) => {
    const { broughtContent, answerBegan } = reader.push(Buffer.from(chat(delta)));
    return [broughtContent, answerBegan, reader.outputBytes];
  };
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Let me see' }] };
  assert.deepEqual(read({ content: [{ ...thinking, thinking: [] }] }), [false, false, 0]);
  assert.deepEqual(read({ content: [thinking] }), [true, false, 10]);
  assert.deepEqual(read({ content: [{ type: 'text', text: 'Hello' }] }), [true, true, 15]);
  const custom = (call: object) => ({ tool_calls: [{ index: 0, type: 'custom', custom: call }] });
  assert.deepEqual(read(custom({ name: 'patch', input: '' })), [true, true, 20]);
  assert.deepEqual(read(custom({ input: '*** Begin' })), [true, true, 29]);
});

test('Chat Completions: the usage chunk and the end marker are read', () => {
  const usageChunk = unnamed({
    choices: [],
    usage: {
      prompt_tokens: 100,
      completion_tokens: 7,
      total_tokens: 107,
      prompt_tokens_details: { cached_tokens: 64 },
    },
  });
  const [reader, steps] = read(
    'openai',
    ROLE_ONLY,
    chat({ content: 'Hello' }),
    chat({}, { finish_reason: 'stop' }),
    usageChunk,
    'data: [DONE]\n\n',
  );
  assert.deepEqual(
    steps.map((status) => status.terminal),
    [false, false, false, false, true],
  );
  assert.deepEqual(
    reader.usage(),
    tokens({ inputTokens: 36, outputTokens: 7, cacheReadTokens: 64 }),
  );
  assert.equal(reader.outputBytes, 5);
});

test('Chat Completions: a stream without end marker is complete only after a finish reason', () => {
  const [cut] = read('openai', chat({ content: 'Hello' }));
  assert.equal(cut.isComplete(), false);
  assert.equal(cut.usage(), undefined);
  const [finished] = read('openai', chat({ content: 'Hi' }, { finish_reason: 'length' }));
  assert.equal(finished.isComplete(), true);
  const [half] = read('openai', `${chat({ content: 'Hi' }, { finish_reason: 'stop' })}data: {"ch`);
  assert.equal(half.isComplete(), false);
  const [hurried] = read('openai', `${chat({ content: 'Hi' })}data: [DONE]`);
  assert.equal(hurried.isComplete(), true);
});

test('Responses: deltas are content, the last event carries the usage', () => {
  const response = { id: 'resp_1', instructions: 'Be "kind".', output: [{ text: 'Hello' }] };
  const [reader, steps] = read(
    'openai',
    named('response.created', { response: { ...response, usage: null } }),
    named('keepalive', {}),
    named('response.output_text.delta', { item_id: 'm', delta: '' }),
    named('response.output_text.delta', { item_id: 'm', delta: 'Hello', obfuscation: 'x' }),
    named('response.completed', {
      response: {
        ...response,
        error: null,
        usage: {
          input_tokens: 20,
          input_tokens_details: { cached_tokens: 5 },
          output_tokens: 9,
          output_tokens_details: { reasoning_tokens: 4 },
        },
      },
    }),
  );
  assert.deepEqual(
    steps.map((status) => [status.contentBegan, status.terminal]),
    [
      [false, false],
      [false, false],
      [false, false],
      [true, false],
      [true, true],
    ],
  );
  assert.deepEqual(
    reader.usage(),
    tokens({ inputTokens: 15, outputTokens: 9, cacheReadTokens: 5, reasoningTokens: 4 }),
  );
  assert.equal(reader.outputBytes, 5);
});

test('Responses: a failure gives its error in an `error` object', () => {
  const error = { code: 'rate_limit_exceeded', message: 'slow down' };
  const [failed] = read('openai', named('response.failed', { response: { error, usage: null } }));
  assert.deepEqual(JSON.parse(String(failed.status.error)), { error });
  assert.equal(failed.status.terminal, false);
  const [flat] = read('openai', named('error', error));
  assert.deepEqual(JSON.parse(String(flat.status.error)), { error: { type: 'error', ...error } });
  const [nested] = read('openai', named('error', { error }));
  assert.deepEqual(JSON.parse(String(nested.status.error)), { type: 'error', error });
});

test('Gemini: text, thoughts, calls and images are content; the finish reason completes the stream', () => {
  for (const part of [
    { text: 'Hi' },
    { text: 'hm', thought: true },
    { functionCall: { name: 'f', args: {} } },
    { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
  ])
    assert.deepEqual(contentAfter('gemini', unnamed(gemini([part]))), [true], JSON.stringify(part));
  const [reader, steps] = read(
    'gemini',
    unnamed(gemini([{ text: '' }])),
    unnamed(gemini([{ text: 'Hello' }], {}, { thoughtsTokenCount: 8 })),
    unnamed(gemini([{ text: '' }], { finishReason: 'STOP' }, { candidatesTokenCount: 3 })),
  );
  assert.deepEqual(
    steps.map((status) => [status.contentBegan, status.terminal]),
    [
      [false, false],
      [true, false],
      [true, false],
    ],
  );
  assert.equal(reader.isComplete(), true);
  assert.deepEqual(
    reader.usage(),
    tokens({ inputTokens: 10, outputTokens: 11, reasoningTokens: 8 }),
  );
  assert.equal(reader.outputBytes, 5);
  assert.equal(read('gemini', unnamed(gemini([{ text: 'Hi' }])))[0].isComplete(), false);
});

test('Gemini: a blocked prompt is an error', () => {
  const [reader] = read('gemini', unnamed({ promptFeedback: { blockReason: 'SAFETY' } }));
  assert.equal(reader.isComplete(), false);
  assert.match(String(reader.status.error), /blockReason/);
});

test('Gemini: one array over the whole response is read element by element', () => {
  const elements = [
    gemini([{ text: 'a ] } [ { \\" b' }]),
    gemini([{ text: 'c' }], { finishReason: 'STOP' }, { candidatesTokenCount: 4 }),
  ].map((element) => JSON.stringify(element, null, 2));
  const [reader, steps] = read(
    'gemini',
    `[${elements[0]}`,
    `\n,\r\n${elements[1]?.slice(0, 40)}`,
    `${elements[1]?.slice(40)}\n`,
    ']',
  );
  assert.deepEqual(
    steps.map((status) => [status.contentBegan, status.terminal, status.pendingBytes > 0]),
    [
      [true, false, false],
      [true, false, true],
      // A separator is pending until the next element or the end.
      [true, false, true],
      [true, true, true],
    ],
  );
  assert.equal(reader.usage()?.outputTokens, 4);
  const [cut] = read('gemini', `[${elements.join(',')}`);
  assert.equal(cut.isComplete(), false);
  const [failed] = read('gemini', '[{"error":{"code":429}}]');
  assert.equal(String(failed.status.error), '{"error":{"code":429}}');
});

test('an event beyond the buffer still gives its usage and its end', () => {
  const large = 'x'.repeat(400_000);
  const completed = named('response.completed', {
    response: { output: [large], usage: { input_tokens: 5, output_tokens: 90_000 } },
  });
  const picture = unnamed(
    gemini(
      [{ inlineData: { data: large } }],
      { finishReason: 'STOP' },
      { candidatesTokenCount: 9 },
    ),
  );
  for (const [format, stream, outputTokens] of [
    ['openai', completed, 90_000],
    ['gemini', picture, 9],
    ['gemini', `[${picture.slice('data: '.length)}]`, 9],
  ] as const) {
    const reader = createStreamReader(format);
    const bytes = Buffer.from(stream);
    for (let at = 0; at < bytes.length; at += 16_384) reader.push(bytes.subarray(at, at + 16_384));
    assert.equal(reader.status.oversized, true);
    assert.equal(reader.usage()?.outputTokens, outputTokens);
    assert.equal(reader.isComplete(), true);
  }
});

const STREAMS: readonly [ProviderFormat, string][] = [
  [
    'anthropic',
    MESSAGE_START + PING + BLOCK_START + textDelta('Grüße\n"you"') + MESSAGE_DELTA + MESSAGE_STOP,
  ],
  ['openai', ROLE_ONLY + chat({ content: 'Grüße' }) + chat({ content: '!' }) + 'data: [DONE]\n\n'],
  [
    'openai',
    named('response.output_text.delta', { delta: 'Grüße' }) +
      named('response.completed', { response: { usage: { input_tokens: 1, output_tokens: 2 } } }),
  ],
  [
    'gemini',
    unnamed(gemini([{ text: 'Grüße' }], { finishReason: 'STOP' })).replaceAll('\n', '\r\n'),
  ],
  [
    'gemini',
    JSON.stringify([gemini([{ text: '\\"' }]), gemini([], { finishReason: 'STOP' })], null, 1),
  ],
];

test('the status of a stream is independent of its chunks', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(fc.constantFrom(...STREAMS), sizes, ([format, stream], sizes) => {
      const bytes = Buffer.from(stream);
      const whole = createStreamReader(format);
      const pieces = createStreamReader(format);
      whole.push(bytes);
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const size = sizes[turn % sizes.length] ?? 1;
        pieces.push(bytes.subarray(at, at + size));
        at += size;
      }
      assert.equal(pieces.isComplete(), true);
      assert.deepEqual(
        [pieces.status.contentBegan, pieces.status.terminal, pieces.outputBytes, pieces.usage()],
        [whole.status.contentBegan, whole.status.terminal, whole.outputBytes, whole.usage()],
      );
    }),
    { numRuns: 1000 },
  );
});

test('never throws on arbitrary bytes', () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom('data: {', '"error":', '{"usage":{', 'event: error\n', '\n\n', '[{', '"', '\\')
      .map((text) => Buffer.from(text)),
    fc.json().map((text) => Buffer.from(`data: ${text}\n\n`)),
  );
  fc.assert(
    fc.property(
      fc.constantFrom<ProviderFormat>('anthropic', 'openai', 'gemini'),
      fc.array(piece),
      (format, pieces) => {
        const reader = createStreamReader(format, { maxEventBytes: 1024 });
        for (const bytes of pieces) reader.push(bytes);
        reader.isComplete();
        reader.usage();
      },
    ),
    { numRuns: 2000 },
  );
});

test('an error of any JSON type is recognised', () => {
  for (const format of ['openai', 'gemini'] as const) {
    for (const error of ['{"message":"no"}', '"no"', '["no"]', '[{"code":1}]']) {
      const reader = createStreamReader(format);
      reader.push(Buffer.from(`data: {"error":${error}}\n\n`));
      assert.ok(reader.status.error, `${format}: ${error}`);
    }
    const healthy = createStreamReader(format);
    healthy.push(Buffer.from('data: {"error":null,"choices":[],"candidates":[]}\n\n'));
    assert.equal(healthy.status.error, undefined);
  }
});
