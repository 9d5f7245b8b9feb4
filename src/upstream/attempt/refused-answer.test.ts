import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { isRefusedAnswer, isRefusedStream } from './refused-answer.ts';

function judge(format: ProviderFormat, answer: object): boolean {
  return isRefusedAnswer(format, Buffer.from(JSON.stringify(answer)));
}

const filtered = (message: object): object => ({
  choices: [{ index: 0, finish_reason: 'content_filter', message }],
  usage: { prompt_tokens: 3, completion_tokens: 0 },
});

test("a response with only the provider's reason is a refusal", () => {
  const usage = { input_tokens: 9, output_tokens: 0 };
  assert.ok(judge('anthropic', { type: 'message', content: [], stop_reason: 'refusal', usage }));
  assert.ok(judge('openai', filtered({ role: 'assistant', content: '' })));
  assert.ok(judge('openai', filtered({ role: 'assistant', content: null, refusal: null })));
  const incomplete = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
  assert.ok(judge('openai', { ...incomplete, error: null, output: [] }));
  const emptied = { type: 'message', content: [{ type: 'output_text', text: '' }] };
  assert.ok(judge('openai', { ...incomplete, output: [{ type: 'reasoning' }, emptied] }));
  const usageMetadata = { promptTokenCount: 4 };
  assert.ok(judge('gemini', { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata }));
  for (const finishReason of ['SAFETY', 'RECITATION', 'PROHIBITED_CONTENT', 'BLOCKLIST', 'SPII'])
    assert.ok(judge('gemini', { candidates: [{ finishReason, index: 0 }] }), finishReason);
});

test('a refusal after thinking is a refusal, too', () => {
  const thinking = { type: 'thinking', thinking: 'Should I?', signature: 's' };
  const hidden = { type: 'redacted_thinking', data: 'x' };
  const usage = { input_tokens: 9, output_tokens: 40 };
  const content = [thinking, hidden, { type: 'text', text: '' }];
  assert.ok(judge('anthropic', { type: 'message', content, stop_reason: 'refusal', usage }));
  assert.ok(judge('openai', filtered({ content: '', reasoning_content: 'Should I?' })));
  const parts = [{ text: 'Should I?', thought: true }];
  assert.ok(judge('gemini', { candidates: [{ content: { parts }, finishReason: 'SAFETY' }] }));
});

test("a model's own refusal is an answer, with any finish reason", () => {
  const text = { type: 'text', text: 'I would rather not.' };
  assert.ok(!judge('anthropic', { content: [text], stop_reason: 'refusal' }));
  assert.ok(!judge('openai', filtered({ content: 'Half of a sen' })));
  const half = { type: 'message', content: [{ type: 'output_text', text: 'Half of a sen' }] };
  const filter = { reason: 'content_filter' };
  for (const item of [half, { type: 'function_call', name: 'look' }])
    assert.ok(!judge('openai', { incomplete_details: filter, output: [item] }));
  assert.ok(!judge('openai', filtered({ content: null, refusal: 'I cannot help with that.' })));
  assert.ok(!judge('openai', filtered({ content: null, tool_calls: [{ id: 'c' }] })));
  const content = { parts: [{ text: 'Half' }], role: 'model' };
  assert.ok(!judge('gemini', { candidates: [{ content, finishReason: 'SAFETY' }] }));
});

test('an empty answer is an answer', () => {
  assert.ok(!judge('anthropic', { content: [], stop_reason: 'end_turn' }));
  assert.ok(!judge('openai', { choices: [{ finish_reason: 'length', message: { content: '' } }] }));
  assert.ok(!judge('openai', { object: 'list', data: [{ embedding: [0.1] }] }));
  assert.ok(!judge('gemini', { candidates: [{ finishReason: 'MAX_TOKENS', content: {} }] }));
  assert.ok(!judge('gemini', { totalTokens: 7 }));
  assert.ok(!judge('gemini', { embedding: { values: [0.1] } }));
});

test('an answer whose text mentions refusals is not a refusal', () => {
  const words = 'The "refusal" of "error" in "content_filter", said stop_reason: "refusal".';
  assert.ok(!judge('anthropic', { content: [{ type: 'text', text: words }] }));
  assert.ok(!judge('openai', filtered({ content: words })));
});

test('a stream without content is a refusal when its last events carry a policy reason', () => {
  const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
  const refused = [
    event({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }),
    event({ candidates: [{ finishReason: 'SAFETY', index: 0 }] }),
    event({ choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }] }) +
      'data: [DONE]\n\n',
    `event: message_delta\n${event({ type: 'message_delta', delta: { stop_reason: 'refusal' }, usage: { output_tokens: 1 } })}event: message_stop\n${event({ type: 'message_stop' })}`,
    JSON.stringify([{ promptFeedback: { blockReason: 'SAFETY' } }]),
  ];
  for (const text of refused) assert.ok(isRefusedStream(Buffer.from(text)), text);
  const empty = [
    event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) + 'data: [DONE]\n\n',
    event({ candidates: [{ finishReason: 'MAX_TOKENS' }] }),
    `event: message_delta\n${event({ type: 'message_delta', delta: { stop_reason: 'end_turn' } })}`,
    '',
  ];
  for (const text of empty) assert.ok(!isRefusedStream(Buffer.from(text)), text);
});
