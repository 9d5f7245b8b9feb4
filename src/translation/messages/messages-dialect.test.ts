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
import { messagesDialect as dialect } from './messages-dialect.ts';

const HELLO = { max_tokens: 2000, messages: [{ role: 'user', content: 'Hello' }] };

test('a PDF, a text document and a tool result with an image are read and written', () => {
  const content = [
    {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
      title: 'a',
    },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Text' } },
    { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
  ];
  const result = {
    type: 'tool_result',
    tool_use_id: 't1',
    content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } }],
    is_error: true,
  };
  const messages = [
    { role: 'user', content },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: {} }] },
    { role: 'user', content: [result] },
  ];
  assert.deepEqual(write(dialect, read(dialect, { ...HELLO, messages }))['messages'], messages);
});

test('a tool result is written before the text of its turn, and neighbouring turns are merged', () => {
  const messages = [
    { role: 'user', content: 'One' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Two' },
        { type: 'tool_result', tool_use_id: 't', content: 'R' },
      ],
    },
  ];
  const [turn, ...others] = Object(
    write(dialect, read(dialect, { ...HELLO, messages }))['messages'],
  );
  assert.deepEqual(others, []);
  assert.deepEqual(
    turn.content.map(({ type }: { type: string }) => type),
    ['tool_result', 'text', 'text'],
  );
});

test('effort is a budget for models before 4.6 and a level for later ones', () => {
  const thinking = { type: 'enabled', budget_tokens: 1500 };
  const asked = (model: string, extra = {}) =>
    write(dialect, read(dialect, { ...HELLO, thinking, ...extra }, model));
  for (const model of [
    'claude-3-7-sonnet-latest',
    'claude-sonnet-4-20250514',
    'claude-opus-4-5-20251101',
    'claude-opus-4-1',
  ])
    assert.deepEqual(asked(model)['thinking'], thinking, model);
  for (const model of [
    'claude-opus-4-6',
    'claude-opus-4-7',
    'claude-sonnet-5-5',
    'claude-opus-5',
    'claude-opus-4-10',
  ]) {
    assert.deepEqual(asked(model)['thinking'], { type: 'adaptive', display: 'summarized' }, model);
    assert.deepEqual(asked(model)['output_config'], { effort: 'low' }, model);
  }
  assert.deepEqual(asked('claude-opus-5', { thinking: { type: 'disabled' } })['thinking'], {
    type: 'disabled',
  });
});

test('no thinking is asked for with a forced tool, or after a call without a thought', () => {
  const thinking = { type: 'enabled', budget_tokens: 1500 };
  const forced = {
    ...HELLO,
    thinking,
    tools: [{ name: 'look', input_schema: {} }],
    tool_choice: { type: 'any' },
  };
  assert.equal(write(dialect, read(dialect, forced))['thinking'], undefined);
  const call = { type: 'tool_use', id: 't', name: 'look', input: {} };
  const loop = (content: readonly object[]) => ({
    ...HELLO,
    thinking,
    messages: [
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'R' }] },
    ],
  });
  assert.equal(write(dialect, read(dialect, loop([call])))['thinking'], undefined);
  const own = { type: 'thinking', thinking: 'Hm.', signature: 'proof' };
  assert.ok(write(dialect, read(dialect, loop([own, call])))['thinking']);
});

test('an answer has the blocks, the reason and the counts of Anthropic', () => {
  assert.deepEqual(dialect.writeAnswer(ANSWER), {
    id: 'msg_one',
    type: 'message',
    role: 'assistant',
    model: 'asked',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'proof' },
      { type: 'text', text: 'Hello' },
      {
        type: 'tool_use',
        id: 'toolu_c1',
        name: 'look',
        input: { at: 1 },
        caller: { type: 'direct' },
      },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    stop_details: null,
    container: null,
    usage: {
      input_tokens: 5,
      cache_creation_input_tokens: 2,
      cache_read_input_tokens: 3,
      cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 0 },
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 4 },
      service_tier: 'standard',
    },
  });
});

test('every stop reason of Anthropic is read and written', () => {
  for (const reason of [
    'end_turn',
    'max_tokens',
    'stop_sequence',
    'tool_use',
    'refusal',
    'pause_turn',
    'model_context_window_exceeded',
  ]) {
    const body = { content: [], stop_reason: reason, stop_sequence: 'END' };
    const { stop_reason, stop_sequence } = dialect.writeAnswer(dialect.readAnswer(body));
    assert.deepEqual([stop_reason, stop_sequence], [reason, 'END']);
  }
});

test('a stream with interleaved kinds of blocks is read, the last counts win', () => {
  const events = readStream(
    dialect,
    {
      type: 'message_start',
      message: { id: 'msg_1', usage: { input_tokens: 7, output_tokens: 1 } },
    },
    { type: 'ping' },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'signature_delta', signature: 'proof' },
    },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'redacted_thinking', data: 'dark' },
    },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'tool_use', id: 't', name: 'look', input: {} },
    },
    {
      type: 'content_block_delta',
      index: 2,
      delta: { type: 'input_json_delta', partial_json: '{"at":' },
    },
    {
      type: 'content_block_delta',
      index: 2,
      delta: { type: 'input_json_delta', partial_json: '1}' },
    },
    { type: 'content_block_stop', index: 2 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 20 } },
    { type: 'message_stop' },
  );
  const proof = (data: string) => ({ vendor: 'messages', data });
  assert.deepEqual(partsOf(events), [
    { kind: 'reasoning', text: 'Hm.', signature: proof('proof'), isRedacted: false },
    { kind: 'reasoning', text: '', signature: proof('dark'), isRedacted: true },
    { kind: 'tool_call', id: 't', name: 'look', arguments: '{"at":1}' },
  ]);
  const end = endOf(events);
  assert.deepEqual([end?.stop.reason, end?.usage.input, end?.usage.output], ['tool_calls', 7, 20]);
});

test('a stream has the events of Anthropic in their order', () => {
  const types = writeStream(dialect, eventsOf(ANSWER, 10)).map((event) => event['type']);
  const block = ['content_block_start', 'content_block_delta', 'content_block_stop'];
  assert.deepEqual(types, [
    'message_start',
    'ping',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    ...block,
    ...block,
    'message_delta',
    'message_stop',
  ]);
});

test('instructions between turns join the system prompt', () => {
  const messages = [...HELLO.messages, { role: 'system', content: 'Now in French.' }];
  const { system, turns } = read(dialect, { ...HELLO, system: 'Be brief.', messages });
  assert.deepEqual(
    system.map(({ text }) => text),
    ['Be brief.', 'Now in French.'],
  );
  assert.equal(turns.length, 1);
});
