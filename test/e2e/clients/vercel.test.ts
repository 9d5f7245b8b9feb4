// The Vercel AI SDK as a client, through each of its providers: it builds other paths than the official SDKs.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { embedMany, generateText, type LanguageModel, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { WEATHER } from '../../support/gateway/sdk-clients.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

suite('the Vercel AI SDK', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const models: readonly (readonly [name: string, of: () => LanguageModel])[] = [
    ['Anthropic, /v1', () => anthropicAt('/v1')('claude-sonnet-5')],
    ['Anthropic, /anthropic', () => anthropicAt('/anthropic')('claude-sonnet-5')],
    ['Anthropic, /anthropic/v1', () => anthropicAt('/anthropic/v1')('claude-sonnet-5')],
    ['OpenAI responses, /v1', () => openaiAt('/v1')('gpt-5-mini')],
    ['OpenAI responses, /openai', () => openaiAt('/openai').responses('gpt-5-mini')],
    ['OpenAI chat, /openai/v1', () => openaiAt('/openai/v1').chat('gpt-5-mini')],
    ['Google, /v1beta', () => googleAt('/v1beta')('gemini-2.5-flash')],
    ['Google, /gemini', () => googleAt('/gemini')('gemini-2.5-flash')],
    ['Google, /gemini/v1beta', () => googleAt('/gemini/v1beta')('gemini-2.5-flash')],
  ];

  for (const [name, of] of models) {
    test(`${name}: text is returned unary and streamed, with its usage`, async () => {
      const whole = await generateText({ model: of(), prompt: 'Hello', maxRetries: 0 });
      assert.ok(whole.text.length > 0);
      assert.ok((whole.usage.outputTokens ?? 0) > 0);
      const streamed = streamText({ model: of(), prompt: 'Hello', maxRetries: 0 });
      assert.equal(await streamed.text, whole.text);
      assert.equal((await streamed.usage).outputTokens, whole.usage.outputTokens);
    });

    test(`${name}: a tool is called and its result answered`, async () => {
      const asked: string[] = [];
      const getWeather = tool({
        description: WEATHER.description,
        inputSchema: z.object({ city: z.string() }),
        execute: async ({ city }) => {
          asked.push(city);
          return WEATHER.result;
        },
      });
      const ask = {
        model: of(),
        prompt: WEATHER.question,
        tools: { [WEATHER.name]: getWeather },
        stopWhen: stepCountIs(3),
        maxRetries: 0,
      };
      const whole = await generateText(ask);
      assert.equal(whole.steps.length, 2);
      const streamed = streamText(ask);
      assert.equal(await streamed.text, whole.text);
      assert.equal(asked.length, 2);
    });
  }

  test('a stream that fails after content is reported as a failure, never as a clean end', async (context) => {
    context.after(() => gateway.simulator.resetScenario());
    const fault = { fault: 'content-policy', afterChunks: 3, chunkDelayMs: 30 };
    gateway.simulator.setScenario(fault);
    for (const [name, of] of models) {
      const failures: unknown[] = [];
      const onError = ({ error }: { error: unknown }) => void failures.push(error);
      const streamed = streamText({ model: of(), prompt: 'Hello', maxRetries: 0, onError });
      let text = '';
      for await (const piece of streamed.textStream) text += piece;
      assert.ok(text.length > 0, name);
      // Its Gemini stream reader ignores error events; the missing finish reason shows the failure.
      if (name.startsWith('Google')) assert.notEqual(await streamed.finishReason, 'stop', name);
      else assert.equal(failures.length, 1, name);
    }
  });

  test('texts are embedded through both providers that support it', async () => {
    const values = ['one', 'two'];
    const openai = openaiAt('/v1').embedding('text-embedding-3-small');
    const google = googleAt('/v1beta').embedding('gemini-embedding-001');
    for (const model of [openai, google]) {
      const { embeddings } = await embedMany({ model, values, maxRetries: 0 });
      assert.equal(embeddings.length, 2);
    }
  });

  function anthropicAt(base: string) {
    return createAnthropic({ baseURL: gateway.url + base, apiKey: gateway.apiKey });
  }
  function openaiAt(base: string) {
    return createOpenAI({ baseURL: gateway.url + base, apiKey: gateway.apiKey });
  }
  function googleAt(base: string) {
    return createGoogleGenerativeAI({ baseURL: gateway.url + base, apiKey: gateway.apiKey });
  }
});
