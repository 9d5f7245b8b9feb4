// Anthropic's official SDK against every Anthropic endpoint: messages with tools, token counts, models.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { anthropic, WEATHER } from '../../support/gateway/sdk-clients.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const MODEL = 'claude-sonnet-5';
const TOOL = {
  name: WEATHER.name,
  description: WEATHER.description,
  input_schema: WEATHER.schema,
};
const QUESTION = { role: 'user' as const, content: WEATHER.question };

suite("Anthropic's SDK", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  for (const base of ['', '/anthropic']) {
    test(`base ${base || '/'}: tokens are counted, models are listed and described`, async () => {
      const client = anthropic(gateway, base);
      const count = await client.messages.countTokens({ model: MODEL, messages: [QUESTION] });
      assert.ok(count.input_tokens > 0);
      const ids: string[] = [];
      for await (const model of client.models.list({ limit: 7 })) ids.push(model.id);
      assert.ok(ids.length > 7 && ids.includes(MODEL));
      assert.equal(new Set(ids).size, ids.length);
      const model = await client.models.retrieve(MODEL);
      assert.deepEqual([model.type, model.id, model.max_input_tokens], ['model', MODEL, 1_000_000]);
    });
  }

  test('messages call tools and accept their results, unary and streamed', async () => {
    const client = anthropic(gateway);
    const ask = { model: MODEL, max_tokens: 200, messages: [QUESTION], tools: [TOOL] };
    const first = await client.messages.create(ask);
    assert.equal(first.stop_reason, 'tool_use');
    const call = first.content.find((block) => block.type === 'tool_use');
    assert.equal(call?.name, WEATHER.name);
    const streamed = await client.messages.stream(ask).finalMessage();
    const same = streamed.content.find((block) => block.type === 'tool_use');
    assert.deepEqual(same?.input, call.input);
    const second = await client.messages.create({
      ...ask,
      messages: [
        QUESTION,
        { role: 'assistant', content: first.content },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: call.id, content: WEATHER.result }],
        },
      ],
    });
    assert.equal(second.stop_reason, 'end_turn');
    assert.equal(second.content[0]?.type, 'text');
  });

  test("failures of lists and counts are raised as the SDK's own class", async () => {
    await assert.rejects(
      anthropic(gateway).models.retrieve('nobody-has-this'),
      (error) => error instanceof Anthropic.NotFoundError,
    );
    await assert.rejects(
      anthropic({ ...gateway, apiKey: 'not-a-key-of-anybody' }).models.list(),
      (error) => error instanceof Anthropic.AuthenticationError,
    );
    await assert.rejects(
      anthropic(gateway).messages.countTokens({ model: 'nobody-has-this', messages: [QUESTION] }),
      (error) => error instanceof Anthropic.NotFoundError,
    );
  });
});
