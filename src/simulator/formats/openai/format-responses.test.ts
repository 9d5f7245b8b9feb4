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

const BASE = { model: 'gpt-5.1', input: 'What is a spillway for?' };

test('the OpenAI SDK gets the same response unary and streamed', async () => {
  const whole = await client.responses.create(BASE);
  const streamed = await client.responses.stream(BASE).finalResponse();
  assert.match(whole.output_text, /spillway/);
  assert.equal(streamed.output_text, whole.output_text);
  assert.equal(whole.status, 'completed');
  assert.equal(whole.usage?.input_tokens, tokensOfText(BASE.input));
  assert.deepEqual(streamed.usage, whole.usage);
});

test('reasoning is summarised on request, before the text', async () => {
  const response = await client.responses
    .stream({ ...BASE, reasoning: { effort: 'low', summary: 'auto' } })
    .finalResponse();
  const [reasoning, message] = response.output;
  assert.ok(reasoning?.type === 'reasoning');
  assert.match(reasoning.summary[0]?.text ?? '', /spillway/);
  assert.equal(message?.type, 'message');
});

test('a forced function is called with arguments that fit, unary and streamed', async () => {
  const parameters = { type: 'object', properties: { n: { type: 'integer', minimum: 5 } } };
  const asking = {
    ...BASE,
    tools: [{ type: 'function' as const, name: 'count', parameters, strict: false }],
    tool_choice: 'required' as const,
  };
  for (const response of [
    await client.responses.create(asking),
    await client.responses.stream(asking).finalResponse(),
  ]) {
    const [call] = response.output;
    assert.ok(call?.type === 'function_call');
    assert.equal(call.name, 'count');
    assert.deepEqual(JSON.parse(call.arguments), { n: 5 });
  }
});

test('a response that hits the maximum is incomplete, unary and streamed', async () => {
  const asking = { ...BASE, max_output_tokens: 16 };
  for (const response of [
    await client.responses.create(asking),
    await client.responses.stream(asking).finalResponse(),
  ]) {
    assert.equal(response.status, 'incomplete');
    assert.equal(response.incomplete_details?.reason, 'max_output_tokens');
    assert.equal(response.usage?.output_tokens, 16);
  }
});

test('overload in the middle of a stream fails the response', async () => {
  simulator.setScenario({ preset: 'overloaded-mid-stream' });
  const stream = await client.responses.create({ ...BASE, stream: true });
  const types: string[] = [];
  for await (const event of stream) types.push(event.type);
  assert.equal(types.filter((type) => type === 'response.output_text.delta').length, 3);
  assert.equal(types.at(-1), 'response.failed');
});
