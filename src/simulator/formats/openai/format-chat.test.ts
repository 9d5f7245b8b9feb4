import assert from 'node:assert/strict';
import test from 'node:test';
import OpenAI from 'openai';
import { systemClock } from '../../../kernel/clock.ts';
import { startSimulator } from '../../simulator.ts';
import { tokensOfText } from '../../tokens.ts';

const simulator = await startSimulator({ clock: systemClock });
const client = new OpenAI({ apiKey: 'key', baseURL: `${simulator.url}/v1`, maxRetries: 0 });
test.after(() => simulator.close());
test.beforeEach(() => simulator.resetScenario());

const PROMPT = 'What is a spillway for?';
const BASE = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: PROMPT }] };
const TOOL = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

test('the OpenAI SDK gets the same completion unary and streamed', async () => {
  const whole = await client.chat.completions.create(BASE);
  const text = whole.choices[0]?.message.content ?? '';
  const options = { ...BASE, stream_options: { include_usage: true } };
  const streamed = await client.chat.completions.stream(options).finalChatCompletion();
  assert.match(text, /spillway/);
  assert.equal(streamed.choices[0]?.message.content, text);
  assert.equal(whole.choices[0]?.finish_reason, 'stop');
  assert.equal(whole.usage?.prompt_tokens, tokensOfText(PROMPT));
  assert.equal(whole.usage?.completion_tokens, tokensOfText(text));
  assert.deepEqual(streamed.usage, whole.usage);
});

test('a stream reports usage only on request', async () => {
  const stream = await client.chat.completions.create({ ...BASE, stream: true });
  for await (const chunk of stream) assert.equal(chunk.usage, undefined);
});

test('a forced tool is called with arguments that fit, unary and streamed', async () => {
  const asking = { ...BASE, tools: [TOOL], tool_choice: 'required' as const };
  for (const completion of [
    await client.chat.completions.create(asking),
    await client.chat.completions.stream(asking).finalChatCompletion(),
  ]) {
    const [choice] = completion.choices;
    assert.equal(choice?.finish_reason, 'tool_calls');
    const call = choice?.message.tool_calls?.[0];
    assert.ok(call?.type === 'function');
    assert.deepEqual(JSON.parse(call.function.arguments), { city: PROMPT });
  }
});

test('two tools that the prompt names are called in one answer', async () => {
  const second = { ...TOOL, function: { ...TOOL.function, name: 'get_time' } };
  const completion = await client.chat.completions
    .stream({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'call get_weather and get_time' }],
      tools: [TOOL, second],
    })
    .finalChatCompletion();
  const calls = completion.choices[0]?.message.tool_calls ?? [];
  const names = calls.map((call) => ('function' in call ? call.function.name : call.type));
  assert.deepEqual(names, ['get_weather', 'get_time']);
});

test('output stops at the maximum, and reasoning is counted if requested', async () => {
  const short = await client.chat.completions.create({ ...BASE, max_completion_tokens: 4 });
  assert.equal(short.choices[0]?.finish_reason, 'length');
  assert.equal(short.usage?.completion_tokens, 4);
  const thoughtful = await client.chat.completions.create({ ...BASE, reasoning_effort: 'low' });
  assert.ok((thoughtful.usage?.completion_tokens_details?.reasoning_tokens ?? 0) > 0);
});

test('structured output fits its schema', async () => {
  const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 3 } } };
  const completion = await client.chat.completions.create({
    ...BASE,
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
  });
  assert.deepEqual(JSON.parse(completion.choices[0]?.message.content ?? ''), { n: 3 });
});

test('a long prompt that is sent again is read from the cache', async () => {
  const long = { ...BASE, messages: [{ role: 'user' as const, content: 'y'.repeat(5_000) }] };
  const first = await client.chat.completions.create(long);
  const second = await client.chat.completions.create(long);
  assert.equal(first.usage?.prompt_tokens_details?.cached_tokens, 0);
  assert.equal(second.usage?.prompt_tokens_details?.cached_tokens, 1_152);
});

test('a scenario sets text, usage and stop reason', async () => {
  simulator.setScenario({
    text: 'As told.',
    usage: { inputTokens: 7, outputTokens: 9, cacheReadTokens: 3 },
  });
  const completion = await client.chat.completions.create(BASE);
  assert.equal(completion.choices[0]?.message.content, 'As told.');
  assert.equal(completion.usage?.prompt_tokens, 7);
  assert.equal(completion.usage?.completion_tokens, 9);
  assert.equal(completion.usage?.prompt_tokens_details?.cached_tokens, 3);
  simulator.setScenario({ preset: 'refusal' });
  const refused = await client.chat.completions.create(BASE);
  assert.equal(refused.choices[0]?.finish_reason, 'content_filter');
});

test('models are listed', async () => {
  const models = await client.models.list();
  assert.ok(models.data.some((model) => model.id === 'gpt-4o'));
});
