// Requests that try to use more than they pay for: a feature under another name, a reference that looks like content, media
// with more tokens than bytes. Each one is charged, reserved in full or refused by name before the provider is called.
// Expected costs are written out with their arithmetic, in nanodollars.

import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { readUsage } from '../../../src/upstream/attempt/read-usage.ts';
import { createStreamReader } from '../../../src/upstream/streams/reader.ts';
import { administer, ask, errorOf, newTenant, usageOf } from '../../support/gateway/call-rig.ts';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';

const MESSAGES = [{ role: 'user', content: 'Hello' }];
const CHAT = { model: 'gpt-4o', max_tokens: 100, messages: MESSAGES };
const CLAUDE = { model: 'claude-sonnet-4-5', max_tokens: 100, messages: MESSAGES };
const TOKENS = { inputTokens: 1000, outputTokens: 100 };

const ADVISOR = { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-6' };

function file(): string {
  return `${SINGLE_ATTEMPTS}
prices: { tools: { advisor: 0.01, code_interpreter: 0.03, code_interpreter_4g: 0.12 } }
aliases:
  finder: { targets: [openai/gpt-4o-mini-search-preview] }
`;
}

let gateway: TestGateway;

suite('evasions of the bill', () => {
  before(async () => {
    gateway = await startTestGateway({}, file);
  });
  afterEach(() => gateway.simulator.resetScenario());
  after(() => gateway.close());

  const searching = 'gpt-4o-mini-search-preview';
  for (const [name, path, body] of [
    ['an alias', '/v1/chat/completions', JSON.stringify({ ...CHAT, model: 'finder' })],
    [
      'an escaped name',
      '/v1/chat/completions',
      JSON.stringify({ ...CHAT, model: searching }).replace('-search-', '\\u002dsearch\\u002d'),
    ],
    [
      'a name in another case',
      '/v1/chat/completions',
      JSON.stringify({ ...CHAT, model: 'openai/GPT-4o-mini-Search-Preview' }),
    ],
    ['a request of Messages', '/v1/messages', JSON.stringify({ ...CLAUDE, model: 'finder' })],
    [
      'a request of generateContent',
      '/v1beta/models/finder:generateContent',
      JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }),
    ],
  ] as const)
    test(`a model that searches with each request costs the search under ${name}`, async () => {
      gateway.simulator.setScenario({ usage: TOKENS });
      const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1000 });
      const answer = await ask(tenant, { path, body });
      assert.equal(answer.status, 200, answer.text);
      // 1000 × 150 + 100 × 600 + 1 × 25,000,000
      assert.equal((await usageOf(tenant, 1)).costUsd, 25_210_000 / 1e9);
    });

  test('each request of a batch of embeddings reserves a context window for its video', async () => {
    gateway.simulator.clearLog();
    const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1 });
    const model = 'models/gemini-embedding-2';
    const fileData = { fileUri: 'https://example.com/a.mp4', mimeType: 'video/mp4' };
    const request = { model, content: { parts: [{ text: 'Hello' }, { fileData }] } };
    const path = '/v1beta/models/gemini-embedding-2:batchEmbedContents';
    // A window of 8192 tokens at 12,000
    for (const [count, status] of [
      [5, 200],
      [50, 402],
    ] as const) {
      const body = { requests: Array.from({ length: count }, () => request) };
      const answer = await ask(tenant, { path, body });
      assert.equal(answer.status, status, answer.text);
    }
    assert.equal(gateway.simulator.log().length, 1);
  });

  test('a document reserves the long context window where the request asks for it', async () => {
    const tenant = await newTenant(gateway, { monthlyBudgetUsd: 2 });
    const source = { type: 'url', url: 'https://example.com/a.pdf' };
    const messages = [{ role: 'user', content: [{ type: 'document', source }] }];
    const body = { ...CLAUDE, messages };
    assert.equal((await ask(tenant, { body })).status, 200);
    const headers = { 'anthropic-beta': 'claude-code-20250219,context-1m-2025-08-07' };
    assert.equal((await ask(tenant, { body, headers })).status, 402);
  });

  test('a search that a chat cannot report costs one use', async () => {
    gateway.simulator.setScenario({ usage: TOKENS });
    const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1000 });
    const body = { ...CHAT, model: 'gpt-4.1', tools: [{ type: 'web_search' }] };
    const answer = await ask(tenant, { path: '/v1/chat/completions', body });
    assert.equal(answer.status, 200, answer.text);
    // 1000 × 2000 + 100 × 8000 + 1 × 10,000,000
    assert.equal((await usageOf(tenant, 1)).costUsd, 12_800_000 / 1e9);
  });

  test('a maximum of uses in quotes is reserved in full', async () => {
    gateway.simulator.clearLog();
    const tenant = await newTenant(gateway, { monthlyBudgetUsd: 20 });
    const search = { type: 'web_search_20250305', name: 'web_search' };
    for (const [max_uses, status] of [
      ['1', 200],
      ['5000', 402],
    ] as const) {
      const body = { ...CLAUDE, tools: [{ ...search, max_uses }] };
      assert.equal((await ask(tenant, { body })).status, status, max_uses);
    }
    assert.equal(gateway.simulator.log().length, 1);
  });

  for (const [name, tool, uses] of [
    ['searches', { type: 'web_search' }, 100],
    [
      'calls of another server',
      { type: 'mcp', server_label: 'a', server_url: 'https://a.example' },
      // 50 dollars at 0.5 for each window, and the output.
      99,
    ],
  ] as const)
    test(`a budget bounds the ${name} of a response, which OpenAI does not bound`, async () => {
      const seen: unknown[] = [];
      gateway.simulator.observe(({ json }) => seen.push(json['max_tool_calls']));
      const body = { model: 'gpt-5', max_output_tokens: 1000, input: 'Hi', tools: [tool] };
      for (const monthlyBudgetUsd of [6, 1000]) {
        const tenant = await newTenant(gateway, { monthlyBudgetUsd });
        assert.equal((await ask(tenant, { path: '/v1/responses', body })).status, 200);
      }
      const poor = await newTenant(gateway, { monthlyBudgetUsd: 1000 }, { monthlyBudgetUsd: 6 });
      assert.equal((await ask(poor, { path: '/v1/responses', body })).status, 200);
      // Zero states no maximum.
      const unstated = { ...body, max_tool_calls: 0 };
      const small = await newTenant(gateway, { monthlyBudgetUsd: 6 });
      assert.equal((await ask(small, { path: '/v1/responses', body: unstated })).status, 200);
      assert.deepEqual(seen, [10, uses, 10, 10]);
    });

  test('a failed call costs nothing where each request has a price', async () => {
    const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1000 });
    gateway.simulator.setScenario({ preset: 'server-error' });
    const chat = { ...CHAT, model: searching };
    assert.equal((await ask(tenant, { path: '/v1/chat/completions', body: chat })).status, 503);
    assert.equal((await usageOf(tenant, 1)).costUsd, 0);
  });

  for (const item of [{ type: 'item_reference', id: 'msg_1' }, { id: 'msg_1' }])
    test(`a stored item (${JSON.stringify(item)}) reserves the context window`, async () => {
      gateway.simulator.clearLog();
      await setBudget(1);
      const body = { model: 'gpt-4.1', max_output_tokens: 5, input: [item] };
      const answer = await ask(gateway, { path: '/v1/responses', body });
      await setBudget(1000);
      assert.equal(answer.status, 402, answer.text);
      assert.deepEqual(gateway.simulator.log(), []);
    });

  for (const [field, value] of [
    ['enable_search', true],
    ['data_sources', [{ type: 'azure_search' }]],
    ['deferred', true],
    ['preset', 'email-copywriter'],
    ['stop_server_tools_when', [{ type: 'step_count_is', step_count: 1000 }]],
  ] as const)
    test(`${field} of a compatible provider, which has no price, is refused by name`, async () => {
      gateway.simulator.clearLog();
      const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1000 });
      const body = { ...CHAT, [field]: value };
      const answer = await ask(tenant, { path: '/v1/chat/completions', body });
      assert.equal(answer.status, 400, answer.text);
      assert.equal(errorOf(answer).params['field'], field);
      assert.deepEqual(gateway.simulator.log(), []);
    });

  test('a larger machine of a priced tool needs a price of its own', async () => {
    gateway.simulator.clearLog();
    const interpreter = (container: object) => ({
      model: 'gpt-4.1',
      max_output_tokens: 100,
      input: 'Hello',
      tools: [{ type: 'code_interpreter', container: { type: 'auto', ...container } }],
    });
    const path = '/v1/responses';
    const large = await ask(gateway, { path, body: interpreter({ memory_limit: '64g' }) });
    assert.equal(large.status, 400, large.text);
    assert.equal(errorOf(large).params['field'], 'tools[0].container.memory_limit');
    assert.deepEqual(gateway.simulator.log(), []);
    for (const container of [{}, { memory_limit: '1g' }, { memory_limit: null }]) {
      const small = await ask(gateway, { path, body: interpreter(container) });
      assert.equal(small.status, 200, small.text);
    }
    gateway.simulator.setScenario({ usage: TOKENS });
    const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1000 });
    const priced = await ask(tenant, { path, body: interpreter({ memory_limit: '4g' }) });
    assert.equal(priced.status, 200, priced.text);
    // 1000 × 2000 + 100 × 8000 + 1 × 120,000,000
    assert.equal((await usageOf(tenant, 1)).costUsd, 122_800_000 / 1e9);
  });

  for (const type of ['tool_search_output', 'additional_tools'])
    test(`a tool of the provider that an item of the type ${type} loads is refused by name`, async () => {
      gateway.simulator.clearLog();
      const own = { type: 'function', name: 'f', parameters: {} };
      const load = (...tools: readonly object[]) => ({
        model: 'gpt-4.1',
        max_output_tokens: 100,
        input: [
          { role: 'user', content: 'Hello' },
          { type, call_id: 'c', tools },
        ],
      });
      const path = '/v1/responses';
      const answer = await ask(gateway, { path, body: load(own, { type: 'image_generation' }) });
      assert.equal(answer.status, 400, answer.text);
      assert.equal(errorOf(answer).params['field'], 'input[1].tools[1].type');
      assert.deepEqual(gateway.simulator.log(), []);
      await ask(gateway, { path, body: load(own) });
      assert.equal(gateway.simulator.log().length, 1);
    });

  test('a tool of the provider that a message of a chat loads is refused by name', async () => {
    gateway.simulator.clearLog();
    const search = { type: 'builtin_function', function: { name: '$web_search' } };
    const own = { type: 'function', function: { name: 'f', parameters: {} } };
    const load = (...tools: readonly object[]) => ({
      ...CHAT,
      messages: [...MESSAGES, { role: 'system', tools }],
    });
    const path = '/v1/chat/completions';
    const answer = await ask(gateway, { path, body: load(own, search) });
    assert.equal(answer.status, 400, answer.text);
    assert.equal(errorOf(answer).params['field'], 'messages[1].tools[1].type');
    assert.deepEqual(gateway.simulator.log(), []);
    await ask(gateway, { path, body: load(own) });
    assert.equal(gateway.simulator.log().length, 1);
  });

  test('a batch of embeddings that names another model than its path is refused', async () => {
    gateway.simulator.clearLog();
    const model = 'models/gemini-embedding-2';
    const body = { requests: [{ model, content: { parts: [{ text: 'Hello' }] } }] };
    const path = '/v1beta/models/gemini-embedding-001:batchEmbedContents';
    const answer = await ask(await newTenant(gateway), { path, body });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, /requests\[\]\.model/);
    assert.deepEqual(gateway.simulator.log(), []);
  });

  test('a search of a compatible provider that is off is served', async () => {
    const body = { ...CHAT, enable_search: false, deferred: false };
    const answer = await ask(gateway, { path: '/v1/chat/completions', body });
    assert.equal(answer.status, 200, answer.text);
  });

  for (const part of [
    { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } },
    { type: 'document_url', document_url: 'https://example.com/a.pdf' },
    { type: 'image_url', image_url: { url: 'data:application/pdf;base64,AA' } },
  ])
    test(`a part of the type ${part.type} reserves the context window`, async () => {
      gateway.simulator.clearLog();
      const tenant = await newTenant(gateway, { monthlyBudgetUsd: 0.1 });
      const body = { ...CHAT, messages: [{ role: 'user', content: [part] }] };
      const answer = await ask(tenant, { path: '/v1/chat/completions', body });
      assert.equal(answer.status, 402, answer.text);
      assert.deepEqual(gateway.simulator.log(), []);
    });

  for (const stream of [false, true])
    test(`an adviser costs its price for each time that it was asked (stream: ${stream})`, () => {
      const iterations = ['message', 'advisor_message', 'message', 'advisor_message', 'message'];
      const usage = {
        input_tokens: 1000,
        output_tokens: 100,
        iterations: iterations.map((type) => ({ type, input_tokens: 9, output_tokens: 9 })),
      };
      assert.deepEqual(usesIn(usage, stream), { advisor: 2 });
    });

  for (const tools of [ADVISOR, [ADVISOR], [{ type: 'namespace', tools: [ADVISOR] }]])
    test(`a job counts the model of ${JSON.stringify(tools)} against the list of its key`, async () => {
      const request = { ...CLAUDE, tools };
      const body = { model: CLAUDE.model, format: 'anthropic', request };
      const models = [CLAUDE.model];
      const tenant = await newTenant(gateway, {}, { models });
      assert.equal((await ask(tenant, { path: '/v1/jobs', body })).status, 403);
      const other = await newTenant(gateway, {}, { models: [...models, ADVISOR.model] });
      assert.equal((await ask(other, { path: '/v1/jobs', body })).status, 202);
    });
});

/** The uses of tools that a Messages answer reports. */
function usesIn(usage: object, isStream: boolean): unknown {
  if (!isStream) {
    const body = { type: 'message', content: [{ type: 'text', text: 'Hi' }], usage };
    return readUsage('anthropic', Buffer.from(JSON.stringify(body)))?.extras?.toolUses;
  }
  const reader = createStreamReader('anthropic');
  reader.push(Buffer.from(`data: ${JSON.stringify({ type: 'message_delta', usage })}\n\n`));
  return reader.usage()?.extras?.toolUses;
}

/** Of the organisation that may name stored objects. */
async function setBudget(monthlyBudgetUsd: number): Promise<void> {
  await administer(gateway, 'PATCH', '/admin/orgs/default', { monthlyBudgetUsd });
}
