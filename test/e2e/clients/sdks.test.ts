// The official SDKs as clients. Only the base URL and the key differ from production.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const HELLO = [{ role: 'user' as const, content: 'Hello' }];

suite('official SDKs', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  for (const base of ['', '/anthropic']) {
    test(`Anthropic, base ${base || '/'}: unary and streamed`, async () => {
      const client = anthropic(gateway, base);
      const ask = { model: 'claude-sonnet-5-5', max_tokens: 60, messages: HELLO };
      const message = await client.messages.create(ask);
      assert.equal(message.content[0]?.type, 'text');
      assert.ok(message.usage.output_tokens > 0);
      const streamed = await client.messages.stream(ask).finalMessage();
      assert.deepEqual(streamed.content, message.content);
      assert.deepEqual(streamed.usage.output_tokens, message.usage.output_tokens);
    });
  }

  for (const base of ['/v1', '/openai', '/openai/v1']) {
    test(`OpenAI, base ${base}: unary and streamed`, async () => {
      const client = openai(gateway, base);
      const answer = await client.chat.completions.create({ model: 'gpt-5-mini', messages: HELLO });
      const text = answer.choices[0]?.message.content ?? '';
      assert.ok(text.length > 0);
      const stream = await client.chat.completions.create({
        model: 'gpt-5-mini',
        messages: HELLO,
        stream: true,
      });
      let streamed = '';
      for await (const chunk of stream) streamed += chunk.choices[0]?.delta.content ?? '';
      assert.equal(streamed, text);
    });
  }

  for (const base of ['', '/gemini']) {
    test(`Google, base ${base || '/'}: unary and streamed`, async () => {
      const client = google(gateway, base);
      const ask = { model: 'gemini-2.5-flash', contents: 'Hello' };
      const answer = await client.models.generateContent(ask);
      assert.ok(answer.text);
      let streamed = '';
      for await (const chunk of await client.models.generateContentStream(ask))
        streamed += chunk.text ?? '';
      assert.equal(streamed, answer.text);
    });
  }

  test('each SDK raises its own class for a bad key, with the Spillway code inside', async () => {
    const stranger = { ...gateway, apiKey: 'not-a-key-of-anybody' };
    await assert.rejects(
      anthropic(stranger, '').messages.create({
        model: 'claude-sonnet-5-5',
        max_tokens: 1,
        messages: HELLO,
      }),
      (error) =>
        error instanceof Anthropic.AuthenticationError &&
        JSON.stringify(error.error).includes('UNAUTHORIZED'),
    );
    await assert.rejects(
      openai(stranger, '/v1').chat.completions.create({ model: 'gpt-5-mini', messages: HELLO }),
      (error) => error instanceof OpenAI.AuthenticationError && error.code === 'UNAUTHORIZED',
    );
    await assert.rejects(
      google(stranger, '').models.generateContent({ model: 'gemini-2.5-flash', contents: 'Hello' }),
      (error) =>
        error instanceof ApiError && error.status === 401 && error.message.includes('UNAUTHORIZED'),
    );
  });

  test('a model of another vendor is served in the format of the caller', async () => {
    const answer = await openai(gateway, '/v1').chat.completions.create({
      model: 'claude-sonnet-5-5',
      messages: HELLO,
    });
    assert.equal(answer.object, 'chat.completion');
    assert.equal(answer.model, 'claude-sonnet-5-5');
    assert.ok(answer.choices[0]?.message.content);
    assert.equal(gateway.simulator.log().at(-1)?.path, '/v1/messages');
  });

  test('usage is recorded once per call', async (context) => {
    const own = await startTestGateway();
    context.after(() => own.close());
    const client = anthropic(own, '');
    await client.messages.create({ model: 'claude-sonnet-5-5', max_tokens: 20, messages: HELLO });
    await client.messages
      .stream({ model: 'claude-sonnet-5-5', max_tokens: 20, messages: HELLO })
      .finalMessage();
    const truth = own.simulator.log();
    for (;;) {
      const response = await fetch(`${own.url}/v1/usage`, {
        headers: { authorization: `Bearer ${own.apiKey}` },
      });
      const { total } = (await response.json()) as {
        total: { attempts: number; inputTokens: number; outputTokens: number };
      };
      if (total.attempts < truth.length) continue;
      assert.equal(total.attempts, 2);
      assert.equal(
        total.inputTokens,
        truth.reduce((sum, entry) => sum + entry.inputTokens, 0),
      );
      assert.equal(
        total.outputTokens,
        truth.reduce((sum, entry) => sum + entry.outputTokens, 0),
      );
      return;
    }
  });
});

function anthropic({ url, apiKey }: TestGateway, base: string): Anthropic {
  return new Anthropic({ baseURL: url + base, apiKey, maxRetries: 0 });
}

function openai({ url, apiKey }: TestGateway, base: string): OpenAI {
  return new OpenAI({ baseURL: url + base, apiKey, maxRetries: 0 });
}

function google({ url, apiKey }: TestGateway, base: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url + base } });
}
