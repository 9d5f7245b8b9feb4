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

  test("OpenAI's list has OpenAI's models first, and each model can be called", async () => {
    const client = openai(gateway);
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    assert.ok(ids.includes('smart') && ids.includes('vectors') && ids.includes('gpt-5-mini'));
    assertForeignLast(ids, /claude|gemini/);
    for (const model of ids) {
      if (/embed|vectors/.test(model)) await client.embeddings.create({ model, input: 'Hello' });
      else await client.responses.create({ model, input: 'Hello', max_output_tokens: 20 });
    }
  });

  test("Anthropic's list has Anthropic's models first, and each model can be called", async () => {
    const client = anthropic(gateway);
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    assert.ok(ids.includes('smart') && ids.includes('claude-sonnet-4-5'));
    assertForeignLast(ids, /gpt|gemini|^o\d/);
    assert.ok(!ids.some((id) => /embed|vectors/.test(id)), ids.join());
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hello' }];
    for (const model of ids) await client.messages.create({ model, max_tokens: 20, messages });
  });

  test("Gemini's list has Gemini's models first, and each model can be called", async () => {
    const { models } = google(gateway);
    const names: string[] = [];
    for await (const { name } of await models.list()) names.push(String(name));
    assert.ok(names.includes('models/gemini-2.5-flash'));
    assertForeignLast(names, /gpt|claude|^models\/(o\d|smart)/);
    assert.ok(!names.some((name) => /vectors|text-embedding/.test(name)), names.join());
    for (const model of names) {
      if (model.includes('embed')) await models.embedContent({ model, contents: 'Hello' });
      else await models.generateContent({ model, contents: 'Hello' });
    }
  });

  test('an embedding of another format and a model of no provider are 404 with the name of the model', async () => {
    for (const model of ['gemini-embedding-001', 'no-such-model']) {
      await assert.rejects(openai(gateway).models.retrieve(model), (error) => {
        assert.ok(error instanceof OpenAI.NotFoundError);
        assert.equal(error.code, 'model_not_found');
        assert.match(error.message, new RegExp(model));
        return true;
      });
    }
    await assert.rejects(
      google(gateway).models.get({ model: 'text-embedding-3-small' }),
      (error) => error instanceof ApiError && error.status === 404,
    );
    assert.equal((await anthropic(gateway).models.retrieve('smart')).id, 'smart');
  });
});

/** Models that are served by translation follow the native ones. */
function assertForeignLast(ids: readonly string[], foreign: RegExp): void {
  assert.ok(!ids.some((id) => id.includes('*')), ids.join());
  const first = ids.findIndex((id) => foreign.test(id));
  assert.ok(first > 0, ids.join());
  assert.ok(
    ids.slice(first).every((id) => foreign.test(id)),
    ids.slice(first).join(),
  );
}
