// OpenAI's official SDK against every OpenAI endpoint: responses, chat, embeddings, models, with tools and
// streams.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import OpenAI from 'openai';
import { openai, WEATHER } from '../../support/gateway/sdk-clients.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const MODEL = 'gpt-5-mini';
const RESPONSE_TOOL = {
  type: 'function' as const,
  name: WEATHER.name,
  description: WEATHER.description,
  parameters: { ...WEATHER.schema, additionalProperties: false },
  strict: true,
};
const CHAT_TOOL = {
  type: 'function' as const,
  function: {
    name: WEATHER.name,
    description: WEATHER.description,
    parameters: WEATHER.schema,
  },
};

suite("OpenAI's SDK", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  for (const base of ['', '/v1', '/openai', '/openai/v1']) {
    test(`base ${base || '/'}: every endpoint is reachable`, async () => {
      const client = openai(gateway, base);
      const response = await client.responses.create({ model: MODEL, input: 'Hello' });
      assert.equal(response.status, 'completed');
      const messages = [{ role: 'user' as const, content: 'Hello' }];
      const chat = await client.chat.completions.create({ model: MODEL, messages });
      assert.equal(chat.choices[0]?.message.content, response.output_text);
      const model = 'text-embedding-3-small';
      const vectors = await client.embeddings.create({ model, input: 'Hello' });
      assert.equal(vectors.data.length, 1);
      assert.equal((await client.models.retrieve(MODEL)).id, MODEL);
    });
  }

  test('a response is streamed in chunks, with its usage at the end', async () => {
    const client = openai(gateway);
    const whole = await client.responses.create({ model: MODEL, input: 'A word about rivers' });
    const stream = client.responses.stream({ model: MODEL, input: 'A word about rivers' });
    let text = '';
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    const final = await stream.finalResponse();
    assert.equal(text, whole.output_text);
    assert.equal(final.output_text, whole.output_text);
    assert.equal(final.usage?.output_tokens, whole.usage?.output_tokens);
  });

  test('a response at its maximum length is incomplete, not failed', async () => {
    const ask = { model: MODEL, input: 'A word about rivers', max_output_tokens: 16 };
    const whole = await openai(gateway).responses.create(ask);
    assert.equal(whole.incomplete_details?.reason, 'max_output_tokens');
    const streamed = await openai(gateway).responses.stream(ask).finalResponse();
    assert.equal(streamed.status, 'incomplete');
  });

  test('responses call tools and accept their results, unary and streamed', async () => {
    const client = openai(gateway);
    const ask = { model: MODEL, input: WEATHER.question, tools: [RESPONSE_TOOL] };
    const first = await client.responses.create(ask);
    const call = first.output.find((item) => item.type === 'function_call');
    assert.equal(call?.name, WEATHER.name);
    assert.ok('city' in JSON.parse(call.arguments));
    const streamed = await client.responses.stream(ask).finalResponse();
    const same = streamed.output.find((item) => item.type === 'function_call');
    assert.equal(same?.arguments, call.arguments);
    const result = {
      type: 'function_call_output' as const,
      call_id: call.call_id,
      output: WEATHER.result,
    };
    const question = { role: 'user' as const, content: WEATHER.question };
    const second = await client.responses.create({ ...ask, input: [question, call, result] });
    assert.ok(second.output_text.length > 0);
    assert.ok(!second.output.some((item) => item.type === 'function_call'));
  });

  test('chat completions call tools and accept their results, unary and streamed', async () => {
    const client = openai(gateway);
    const question = { role: 'user' as const, content: WEATHER.question };
    const ask = { model: MODEL, messages: [question], tools: [CHAT_TOOL] };
    const first = await client.chat.completions.create(ask);
    const message = first.choices[0]?.message;
    const call = message?.tool_calls?.[0];
    assert.ok(message && call?.type === 'function');
    assert.equal(first.choices[0]?.finish_reason, 'tool_calls');
    const streamed = await client.chat.completions.stream(ask).finalMessage();
    assert.equal(streamed.tool_calls?.[0]?.type, 'function');
    const result = { role: 'tool' as const, tool_call_id: call.id, content: WEATHER.result };
    const second = await client.chat.completions.create({
      ...ask,
      messages: [question, message, result],
    });
    assert.equal(second.choices[0]?.finish_reason, 'stop');
    assert.ok(second.choices[0]?.message.content);
  });

  test('embeddings return one vector per text, in either encoding', async () => {
    const ask = { model: 'text-embedding-3-small', input: ['one', 'two'], dimensions: 32 };
    const encoded = await openai(gateway).embeddings.create(ask);
    const plain = await openai(gateway).embeddings.create({ ...ask, encoding_format: 'float' });
    assert.deepEqual(
      encoded.data.map(({ embedding }) => embedding),
      plain.data.map(({ embedding }) => embedding),
    );
    assert.equal(plain.usage.prompt_tokens, 2);
  });

  test('the list of models is paged to its end, and an unknown model is not found', async () => {
    const ids: string[] = [];
    for await (const model of openai(gateway).models.list()) ids.push(model.id);
    for (const known of [MODEL, 'text-embedding-3-small']) assert.ok(ids.includes(known), known);
    assert.ok(!ids.some((id) => id.includes('*')));
    await assert.rejects(
      openai(gateway).models.retrieve('nobody-has-this'),
      (error) => error instanceof OpenAI.NotFoundError && error.code === 'model_not_found',
    );
    await assert.rejects(
      openai({ ...gateway, apiKey: 'not-a-key-of-anybody' }).models.list(),
      (error) => error instanceof OpenAI.AuthenticationError && error.code === 'UNAUTHORIZED',
    );
  });

  test('a response that fails before or during its stream is raised as an error', async (context) => {
    const own = await startTestGateway();
    context.after(() => own.close());
    const ask = { model: MODEL, input: 'A word about rivers' };
    own.simulator.setScenario({ fault: 'content-policy' });
    await assert.rejects(
      openai(own).responses.create(ask),
      (error) =>
        error instanceof OpenAI.BadRequestError && error.code === 'content_policy_violation',
    );
    own.simulator.setScenario({ fault: 'content-policy', afterChunks: 3, chunkDelayMs: 30 });
    const deltas: string[] = [];
    await assert.rejects(
      async () => {
        for await (const event of await openai(own).responses.create({ ...ask, stream: true }))
          if (event.type === 'response.output_text.delta') deltas.push(event.delta);
      },
      (error) => error instanceof OpenAI.APIError && error.code === 'content_policy_violation',
    );
    assert.ok(deltas.length > 0);
  });

  test('a cut response stream fails the response that it announced', async (context) => {
    const own = await startTestGateway();
    context.after(() => own.close());
    own.simulator.setScenario({ fault: 'cut', afterChunks: 3, chunkDelayMs: 30 });
    const ask = { model: MODEL, input: 'A word about rivers', stream: true } as const;
    const response = await openai(own).responses.create(ask).asResponse();
    const events = eventsOf(await response.text());
    const [created, failed] = [events[0], events.at(-1)];
    assert.equal(events.at(-2)?.type, 'error');
    assert.equal(failed?.type, 'response.failed');
    const { id, created_at, model } = created?.response ?? {};
    assert.ok(id);
    assert.partialDeepStrictEqual(failed.response, { id, created_at, model, status: 'failed' });
    assert.deepEqual(Object.keys(failed.response?.error ?? {}), ['code', 'message']);

    const streamed = openai(own).responses.stream({ model: MODEL, input: 'A word about rivers' });
    await assert.rejects(
      streamed.finalResponse(),
      (error) => error instanceof OpenAI.APIError && error.code === 'NETWORK_TIMEOUT',
    );
  });
});

type WireEvent = {
  readonly type: string;
  readonly response?: Partial<OpenAI.Responses.Response>;
};

function eventsOf(text: string): readonly WireEvent[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)) as WireEvent);
}
