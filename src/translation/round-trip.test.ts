// A conversation with every feature that two formats share survives the way through the neutral form and back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatDialect } from './chat/chat-dialect.ts';
import { Losses, UntranslatableField } from './losses.ts';
import { messagesDialect } from './messages/messages-dialect.ts';
import type { JsonObject } from './neutral-request.ts';

const TERMS = { model: 'm', isStream: false };
const LIMITS = { maxOutputTokens: 4096 };

const MESSAGES: JsonObject = {
  model: 'm',
  max_tokens: 1000,
  system: [{ type: 'text', text: 'Be brief.' }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        {
          type: 'image',
          source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look it up.' },
        { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: { id: 7 } },
        { type: 'tool_use', id: 'toolu_2', name: 'look_up', input: { id: 8 } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'a cat' }] },
        { type: 'tool_result', tool_use_id: 'toolu_2', content: [{ type: 'text', text: 'a dog' }] },
        { type: 'text', text: 'Go on.' },
      ],
    },
  ],
  tools: [
    {
      name: 'look_up',
      description: 'Looks up a picture.',
      input_schema: { type: 'object', properties: { id: { type: 'number' } } },
    },
  ],
  tool_choice: { type: 'any', disable_parallel_tool_use: true },
  temperature: 0.5,
  top_p: 0.9,
  stop_sequences: ['END'],
};

test('a Messages request survives Chat Completions', () => {
  const there = chatDialect.writeRequest(
    messagesDialect.readRequest(MESSAGES, TERMS, new Losses('strict')),
    LIMITS,
    new Losses('strict'),
  );
  assert.deepEqual(there['messages'], [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
      ],
    },
    {
      role: 'assistant',
      content: 'I look it up.',
      tool_calls: [
        { id: 'toolu_1', type: 'function', function: { name: 'look_up', arguments: '{"id":7}' } },
        { id: 'toolu_2', type: 'function', function: { name: 'look_up', arguments: '{"id":8}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'toolu_1', content: 'a cat' },
    { role: 'tool', tool_call_id: 'toolu_2', content: 'a dog' },
    { role: 'user', content: 'Go on.' },
  ]);
  const back = messagesDialect.writeRequest(
    chatDialect.readRequest(there, TERMS, new Losses('strict')),
    LIMITS,
    new Losses('strict'),
  );
  assert.deepEqual(back, MESSAGES);
});

test('a field without a counterpart is refused by its name, or dropped and reported', () => {
  const request = { ...MESSAGES, top_k: 5, container: 'c_1' };
  assert.throws(
    () => messagesDialect.readRequest(request, TERMS, new Losses('strict')),
    (error: unknown) => error instanceof UntranslatableField && error.path === 'container',
  );
  const losses = new Losses('lenient');
  const neutral = messagesDialect.readRequest(request, TERMS, losses);
  chatDialect.writeRequest(neutral, LIMITS, losses);
  assert.deepEqual(losses.dropped, ['container', 'top_k']);
});

test('hints that change nothing for the caller are dropped silently', () => {
  const losses = new Losses('strict');
  const hinted = {
    ...MESSAGES,
    metadata: { user_id: 'u' },
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  };
  assert.deepEqual(
    messagesDialect.readRequest(hinted, TERMS, losses),
    messagesDialect.readRequest(MESSAGES, TERMS, losses),
  );
});

test('an answer with thoughts, text and tool calls survives Chat Completions, signature included', () => {
  const answer: JsonObject = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'text', text: 'Hello' },
      {
        type: 'tool_use',
        id: 'toolu_1',
        name: 'look_up',
        input: { id: 7 },
        caller: { type: 'direct' },
      },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    stop_details: null,
    container: null,
    usage: {
      input_tokens: 5,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 3,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 0 },
      service_tier: 'standard',
    },
  };
  const chat = chatDialect.writeAnswer(messagesDialect.readAnswer(answer));
  const back = messagesDialect.writeAnswer(chatDialect.readAnswer(chat));
  assert.deepEqual({ ...back, id: 'msg_1' }, answer);
});
