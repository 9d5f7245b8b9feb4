import assert from 'node:assert/strict';
import test from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { systemClock } from '../../../kernel/clock.ts';
import { startSimulator } from '../../simulator.ts';
import { tokensOfText } from '../../tokens.ts';

const simulator = await startSimulator({ clock: systemClock });
const client = new Anthropic({ apiKey: 'key', baseURL: simulator.url, maxRetries: 0 });
test.after(() => simulator.close());
test.beforeEach(() => {
  simulator.resetScenario();
  simulator.clearLog();
});

const PROMPT = 'What is a spillway for?';
const BASE = {
  model: 'claude-sonnet-5',
  max_tokens: 500,
  messages: [{ role: 'user' as const, content: PROMPT }],
};
const WEATHER = {
  name: 'get_weather',
  description: 'The weather in a city',
  input_schema: {
    type: 'object' as const,
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 2 } },
    required: ['city'],
  },
};

function textOf(message: Anthropic.Message): string {
  return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

test('the Anthropic SDK gets the same message unary and streamed', async () => {
  const whole = await client.messages.create(BASE);
  const streamed = await client.messages.stream(BASE).finalMessage();
  assert.match(textOf(whole), /spillway/);
  assert.equal(textOf(streamed), textOf(whole));
  assert.equal(whole.stop_reason, 'end_turn');
  assert.equal(whole.usage.input_tokens, tokensOfText(PROMPT));
  assert.equal(whole.usage.output_tokens, tokensOfText(textOf(whole)));
  assert.deepEqual(streamed.usage, whole.usage);
  const [first, second] = simulator.log();
  assert.equal(first?.outputTokens, whole.usage.output_tokens);
  assert.equal(second?.outputTokens, whole.usage.output_tokens);
  assert.ok((second?.chunksSent ?? 0) > 3);
});

test('a tool that the prompt names is called with arguments that fit its schema', async () => {
  const asking = {
    ...BASE,
    messages: [{ role: 'user' as const, content: 'Please use get_weather for Oslo' }],
    tools: [WEATHER],
  };
  for (const message of [
    await client.messages.create(asking),
    await client.messages.stream(asking).finalMessage(),
  ]) {
    assert.equal(message.stop_reason, 'tool_use');
    const [call] = message.content;
    assert.ok(call?.type === 'tool_use');
    assert.equal(call.name, 'get_weather');
    assert.deepEqual(call.input, { city: 'Please use get_weather for Oslo', days: 2 });
  }
});

test('a tool is called if forced, not if forbidden, and its result is answered with text', async () => {
  const forced = await client.messages.create({
    ...BASE,
    tools: [WEATHER],
    tool_choice: { type: 'any' },
  });
  assert.equal(forced.stop_reason, 'tool_use');
  const named = { type: 'tool' as const, name: 'get_weather' };
  assert.equal(
    (await client.messages.create({ ...BASE, tools: [WEATHER], tool_choice: named })).stop_reason,
    'tool_use',
  );
  assert.equal(
    (await client.messages.create({ ...BASE, tools: [WEATHER] })).stop_reason,
    'end_turn',
  );
  const [call] = forced.content;
  assert.ok(call?.type === 'tool_use');
  const answered = await client.messages.create({
    ...BASE,
    tools: [WEATHER],
    messages: [
      { role: 'user', content: 'use get_weather' },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: call.id, name: call.name, input: call.input }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'rain' }] },
    ],
  });
  assert.equal(answered.stop_reason, 'end_turn');
});

test('thinking is sent on request and counted as output', async () => {
  const thinking = { type: 'enabled' as const, budget_tokens: 1024 };
  const message = await client.messages.stream({ ...BASE, thinking }).finalMessage();
  const [thought, text] = message.content;
  assert.ok(thought?.type === 'thinking' && thought.signature !== '');
  assert.ok(text?.type === 'text');
  assert.equal(
    message.usage.output_tokens,
    tokensOfText(thought.thinking) + tokensOfText(text.text),
  );
});

test('output stops at the maximum and at a stop sequence', async () => {
  const short = await client.messages.create({ ...BASE, max_tokens: 5 });
  assert.equal(short.stop_reason, 'max_tokens');
  assert.equal(short.usage.output_tokens, 5);
  const stopped = await client.messages.create({ ...BASE, stop_sequences: ['spillway'] });
  assert.equal(stopped.stop_reason, 'stop_sequence');
  assert.equal(stopped.stop_sequence, 'spillway');
  assert.ok(!textOf(stopped).includes('spillway'));
});

test('a marked prefix is written to the cache once and read afterwards', async () => {
  const system = [
    {
      type: 'text' as const,
      text: 'x'.repeat(8_000),
      cache_control: { type: 'ephemeral' as const },
    },
  ];
  const first = await client.messages.create({ ...BASE, system });
  const second = await client.messages.create({ ...BASE, system });
  assert.equal(first.usage.cache_creation_input_tokens, 2_000);
  assert.equal(second.usage.cache_read_input_tokens, 2_000);
  assert.equal(second.usage.input_tokens, tokensOfText(PROMPT));
  assert.equal(simulator.log()[1]?.inputTokens, 2_000 + tokensOfText(PROMPT));
});

test('a scenario sets the tokens written to the cache for an hour', async () => {
  simulator.setScenario({
    usage: { inputTokens: 100, cacheWriteTokens: 60, cacheWrite1hTokens: 20, outputTokens: 9 },
  });
  const { usage } = await client.messages.create(BASE);
  assert.deepEqual([usage.input_tokens, usage.cache_creation_input_tokens], [40, 60]);
  assert.deepEqual(usage.cache_creation, {
    ephemeral_5m_input_tokens: 40,
    ephemeral_1h_input_tokens: 20,
  });
});

test('structured output fits its schema', async () => {
  const schema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };
  const message = await client.messages.create({
    ...BASE,
    output_config: { format: { type: 'json_schema', schema } },
  });
  assert.deepEqual(JSON.parse(textOf(message)), { ok: true });
});

test('tokens are counted and models are listed', async () => {
  const { max_tokens: _, ...countable } = BASE;
  const count = await client.messages.countTokens(countable);
  assert.equal(count.input_tokens, tokensOfText(PROMPT));
  const models = await client.models.list();
  assert.ok(models.data.some((model) => model.id.startsWith('claude-')));
  assert.equal((await client.models.retrieve('claude-x')).id, 'claude-x');
});

test('a request that Anthropic would reject is rejected with its message', async () => {
  const { max_tokens: _, ...incomplete } = BASE;
  const response = await fetch(`${simulator.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': 'key' },
    body: JSON.stringify(incomplete),
  });
  assert.equal(response.status, 400);
  const body: unknown = await response.json();
  assert.partialDeepStrictEqual(body, {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'max_tokens: Field required' },
  });
});

test('a refusal inside an answer is a stop reason', async () => {
  simulator.setScenario({ preset: 'refusal' });
  assert.equal((await client.messages.create(BASE)).stop_reason, 'refusal');
  assert.equal((await client.messages.stream(BASE).finalMessage()).stop_reason, 'refusal');
});
