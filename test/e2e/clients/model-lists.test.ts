// The model lists of the official SDKs: every listed model can be called in the format of its list.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type Anthropic from '@anthropic-ai/sdk';
import { ApiError } from '@google/genai';
import OpenAI from 'openai';
import { anthropic, google, openai } from '../../support/gateway/sdk-clients.ts';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';

const ALIASES = `
aliases:
  smart: { targets: [anthropic/claude-sonnet-4-5, openai/gpt-5-mini] }
  vectors: { targets: [openai/text-embedding-3-small] }
`;

suite('model lists', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({}, () => SINGLE_ATTEMPTS + ALIASES);
  });
  after(() => gateway.close());

  test("OpenAI's list has OpenAI's models and aliases only, and each can be called", async () => {
    const client = openai(gateway);
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    assert.ok(ids.includes('smart') && ids.includes('vectors') && ids.includes('gpt-5-mini'));
    assert.ok(!ids.some((id) => /claude|gemini|\*/.test(id)), ids.join());
    for (const model of ids) {
      if (/embed|vectors/.test(model)) await client.embeddings.create({ model, input: 'Hello' });
      else await client.responses.create({ model, input: 'Hello', max_output_tokens: 20 });
    }
  });

  test("Anthropic's list has Anthropic's models and aliases only, and each can be called", async () => {
    const client = anthropic(gateway);
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    assert.ok(ids.includes('smart') && ids.includes('claude-sonnet-4-5'));
    assert.ok(!ids.some((id) => /gpt|gemini|embed|vectors|\*/.test(id)), ids.join());
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hello' }];
    for (const model of ids) await client.messages.create({ model, max_tokens: 20, messages });
  });

  test("Gemini's list has Gemini's models and aliases only, and each can be called", async () => {
    const { models } = google(gateway);
    const names: string[] = [];
    for await (const { name } of await models.list()) names.push(String(name));
    assert.ok(names.includes('models/gemini-2.5-flash'));
    assert.ok(!names.some((name) => /gpt|claude|smart|vectors|\*/.test(name)), names.join());
    for (const model of names) {
      if (model.includes('embed')) await models.embedContent({ model, contents: 'Hello' });
      else await models.generateContent({ model, contents: 'Hello' });
    }
  });

  test('a model of another format or of no provider is 404 with the name of the model', async () => {
    for (const model of ['claude-sonnet-4-5', 'gemini-2.5-flash', 'no-such-model']) {
      await assert.rejects(openai(gateway).models.retrieve(model), (error) => {
        assert.ok(error instanceof OpenAI.NotFoundError);
        assert.equal(error.code, 'model_not_found');
        assert.match(error.message, new RegExp(model));
        return true;
      });
    }
    await assert.rejects(
      google(gateway).models.get({ model: 'gpt-5-mini' }),
      (error) => error instanceof ApiError && error.status === 404,
    );
    assert.equal((await anthropic(gateway).models.retrieve('smart')).id, 'smart');
  });
});
