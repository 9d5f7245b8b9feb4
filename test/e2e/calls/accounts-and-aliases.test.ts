// Configured providers, several accounts of one provider, aliases over them, and keys restricted to models:
// how a model name resolves, checked against the simulator's truth log.

import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import OpenAI from 'openai';
import { hashCredential } from '../../../src/simulator/truth/digest.ts';
import { anthropic, openai } from '../../support/gateway/sdk-clients.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const HELLO = [{ role: 'user' as const, content: 'Hello' }];

const FILE = (simulatorUrl: string) => `
server:
  routeBodyLimitBytes:
    /v1/embeddings: 2KiB
providers:
  groq:
    baseUrl: ${simulatorUrl}/groq/v1
    models: [llama-*]
    accounts:
      - { name: one, apiKey: groq-key-one }
      - { name: two, apiKey: groq-key-two }
      - { name: three, apiKey: groq-key-three, region: eu-west }
  local:
    baseUrl: ${simulatorUrl}/local/v1
    apiKey: local-key
    models: [own-model]
aliases:
  fast:
    targets: [local/own-model, openai/gpt-5-mini]
  spread:
    strategy: round-robin
    targets: [local/own-model, openai/gpt-5-mini]
  calm:
    strategy: least-loaded
    targets: [openai/gpt-5-mini, local/own-model]
  mixed:
    targets: [anthropic/claude-sonnet-5, openai/gpt-5-mini]
  embed:
    targets: [openai/text-embedding-3-small]
prices:
  models:
    own-model: { inputUsd: 1, outputUsd: 2 }
`;

suite('model names in requests', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({}, FILE);
  });
  after(() => gateway.close());
  beforeEach(() => gateway.simulator.clearLog());

  async function chat(model: string, times = 1): Promise<void> {
    for (let turn = 0; turn < times; turn += 1)
      await openai(gateway).chat.completions.create({ model, messages: HELLO });
  }

  /** The requested models by provider, in order. */
  function asked(): readonly string[] {
    return gateway.simulator.log().map(({ provider, model }) => `${provider}/${model}`);
  }

  test('a configured provider is found by its claimed model names and by its own name', async () => {
    await chat('llama-3.3-70b-versatile');
    await chat('groq/llama-3.1-8b-instant');
    await chat('own-model');
    assert.deepEqual(asked(), [
      'groq/llama-3.3-70b-versatile',
      'groq/llama-3.1-8b-instant',
      'local/own-model',
    ]);
  });

  test('the accounts of a provider take turns, each with its own key', async () => {
    await chat('llama-3.3-70b-versatile', 6);
    const keys = gateway.simulator.log().map(({ credentialHash }) => credentialHash);
    const wanted = ['one', 'two', 'three'].map((name) => hashCredential(`groq-key-${name}`));
    for (const hash of wanted) assert.equal(keys.filter((key) => key === hash).length, 2);
  });

  test("an alias is served by its first target, with that target's model name", async () => {
    await chat('fast', 2);
    assert.deepEqual(asked(), ['local/own-model', 'local/own-model']);
  });

  test('a round-robin alias uses its targets in turn', async () => {
    await chat('spread', 4);
    assert.equal(new Set(asked().slice(0, 2)).size, 2);
    assert.deepEqual(asked().slice(2), asked().slice(0, 2));
  });

  test('a least-loaded alias skips a busy target', async () => {
    gateway.simulator.setScenario({ provider: 'openai', fault: 'hang' });
    const leaving = new AbortController();
    const held = openai(gateway).chat.completions.create(
      { model: 'calm', messages: HELLO },
      { signal: leaving.signal },
    );
    await gateway.simulator.waitFor(({ provider }) => provider === 'openai');
    await chat('calm');
    leaving.abort();
    await assert.rejects(held, OpenAI.APIUserAbortError);
    gateway.simulator.resetScenario();
    assert.deepEqual(asked(), ['openai/gpt-5-mini', 'local/own-model']);
  });

  test("an alias answers in the endpoint's format, whichever format its first target has", async () => {
    await chat('mixed');
    const ask = { model: 'mixed', max_tokens: 20, messages: HELLO };
    const answer = await anthropic(gateway).messages.create(ask);
    assert.equal(answer.type, 'message');
    assert.deepEqual(asked(), ['anthropic/claude-sonnet-5', 'anthropic/claude-sonnet-5']);
  });

  test('an alias of an embedding model serves embeddings', async () => {
    const { data } = await openai(gateway).embeddings.create({ model: 'embed', input: 'one' });
    assert.equal(data.length, 1);
    assert.deepEqual(asked(), ['openai/text-embedding-3-small']);
  });

  test('configured aliases and models are listed without a provider call', async () => {
    const ids: string[] = [];
    for await (const model of openai(gateway).models.list()) ids.push(model.id);
    for (const id of ['fast', 'mixed', 'own-model', 'llama-3.3-70b-versatile'])
      assert.ok(ids.includes(id), id);
    assert.ok(!ids.includes('llama-*'));
    assert.deepEqual(asked(), []);
  });

  test('a key restricted to models sees and uses only those', async () => {
    const bound = { ...gateway, apiKey: await createKey(gateway, ['fast', 'llama-*']) };
    const ids: string[] = [];
    for await (const model of openai(bound).models.list()) ids.push(model.id);
    assert.ok(ids.includes('fast') && ids.includes('llama-3.3-70b-versatile'));
    assert.ok(!ids.includes('gpt-5-mini') && !ids.includes('own-model'));
    await openai(bound).chat.completions.create({ model: 'fast', messages: HELLO });
    await assert.rejects(
      openai(bound).chat.completions.create({ model: 'gpt-5-mini', messages: HELLO }),
      (error) => error instanceof OpenAI.PermissionDeniedError,
    );
    assert.deepEqual(asked(), ['local/own-model']);
  });

  test('a route can have a smaller body limit than the others', async () => {
    const input = 'x'.repeat(4096);
    await assert.rejects(
      openai(gateway).embeddings.create({ model: 'embed', input }),
      (error) => error instanceof OpenAI.APIError && error.status === 413,
    );
    await openai(gateway).responses.create({ model: 'gpt-5-mini', input });
  });
});

async function createKey(gateway: TestGateway, models: readonly string[]): Promise<string> {
  const response = await fetch(`${gateway.url}/admin/orgs/default/keys`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.adminKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'bound', scopes: ['call'], models }),
  });
  const body: unknown = await response.json();
  assert.equal(response.status, 201, JSON.stringify(body));
  return String(Reflect.get(Object(body), 'key'));
}
