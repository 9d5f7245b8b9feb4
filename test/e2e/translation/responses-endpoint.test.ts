// A provider of OpenAI's format with `translateTo: responses` in its configuration is called at that endpoint for requests of
// other formats; thoughts return to it encrypted.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';

const FILE = `${SINGLE_ATTEMPTS}
providers:
  openai: { translateTo: responses }
`;

suite('translation to the Responses API', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({}, () => FILE);
  });
  after(() => gateway.close());

  for (const isStream of [false, true])
    test(`an Anthropic client is served, ${isStream ? 'streamed' : 'unary'}, and charged`, async () => {
      gateway.simulator.clearLog();
      const client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.apiKey, maxRetries: 0 });
      const ask: Anthropic.MessageCreateParamsNonStreaming = {
        model: 'gpt-5-mini',
        max_tokens: 200,
        messages: [{ role: 'user', content: 'Use get_weather for Bern.' }],
        tools: [{ name: 'get_weather', input_schema: { type: 'object', properties: {} } }],
      };
      const answer = isStream
        ? await client.messages.stream(ask).finalMessage()
        : await client.messages.create(ask);
      assert.equal(answer.stop_reason, 'tool_use');
      assert.ok(answer.content.some((block) => block.type === 'tool_use'));
      assert.ok(answer.usage.input_tokens > 0 && answer.usage.output_tokens > 0);
      const [call, ...others] = gateway.simulator.log();
      assert.deepEqual(others, []);
      assert.match(call?.path ?? '', /\/v1\/responses$/);
    });

  test('an OpenAI client of Chat Completions stays at its own endpoint', async () => {
    gateway.simulator.clearLog();
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    assert.equal(response.status, 200);
    assert.match(gateway.simulator.log()[0]?.path ?? '', /\/v1\/chat\/completions$/);
  });
});
