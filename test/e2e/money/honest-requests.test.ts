// What official SDKs and agents send every day must pass with the default budget and an ordinary token limit, although its worst
// case is reserved before the call: images, documents and tools that the provider runs.

import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { ask, newTenant } from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const IMAGE = Buffer.alloc(1_500_000, 7).toString('base64');
const PDF = Buffer.alloc(5_000_000, 7).toString('base64');
const LIMITS = { tokensPerMinute: 50_000 };

let gateway: TestGateway;

suite('requests that every vendor documents', () => {
  before(async () => {
    gateway = await startTestGateway({}, () => 'prices: { tools: { google_search: 0.035 } }\n');
  });
  afterEach(() => gateway.simulator.resetScenario());
  after(() => gateway.close());

  const claude = (model: string, content: object) => ({
    model,
    max_tokens: 8192,
    messages: [{ role: 'user', content: [content, { type: 'text', text: 'What is this?' }] }],
  });
  const source = (media_type: string, data: string) => ({ type: 'base64', media_type, data });
  const image_url = `data:image/png;base64,${IMAGE}`;
  const file = { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` };
  const gemini = (mimeType: string, data: string) => ({
    contents: [{ role: 'user', parts: [{ inlineData: { mimeType, data } }, { text: 'What?' }] }],
  });
  const chat = (...content: readonly object[]) => ({
    model: 'gpt-4o',
    messages: [{ role: 'user', content }],
  });

  for (const [name, path, body] of [
    ...['claude-opus-4-1', 'claude-sonnet-4-5'].flatMap((model) => [
      [
        `an image for ${model}`,
        '/v1/messages',
        claude(model, { type: 'image', source: source('image/png', IMAGE) }),
      ] as const,
      [
        `a document for ${model}`,
        '/v1/messages',
        claude(model, { type: 'document', source: source('application/pdf', PDF) }),
      ] as const,
    ]),
    [
      'an image in a chat',
      '/v1/chat/completions',
      chat({ type: 'image_url', image_url: { url: image_url } }),
    ],
    ['a document in a chat', '/v1/chat/completions', chat({ type: 'file', file })],
    [
      'an image for a response',
      '/v1/responses',
      {
        model: 'gpt-5',
        input: [{ role: 'user', content: [{ type: 'input_image', image_url }] }],
      },
    ],
    [
      'a document for a response',
      '/v1/responses',
      { model: 'gpt-5', input: [{ role: 'user', content: [{ type: 'input_file', ...file }] }] },
    ],
    [
      'an image for Gemini',
      '/v1beta/models/gemini-2.5-pro:generateContent',
      gemini('image/png', IMAGE),
    ],
    [
      'a document for Gemini',
      '/v1beta/models/gemini-2.5-pro:generateContent',
      gemini('application/pdf', PDF),
    ],
  ] as const)
    test(`${name} is served with a budget of 5 dollars and a limit of 50,000 tokens a minute`, async () => {
      const tenant = await newTenant(gateway, { monthlyBudgetUsd: 5, ...LIMITS });
      const answer = await ask(tenant, { path, body });
      assert.equal(answer.status, 200, answer.text);
    });

  const LONG = 'lorem ipsum '.repeat(1700);
  const search = { type: 'web_search_20250305', name: 'web_search' };
  const tools = Array.from({ length: 10 }, (_, index) => ({
    type: 'function',
    name: `f${index}`,
    description: 'x'.repeat(300),
    parameters: { type: 'object', properties: { a: { type: 'string' } } },
  }));
  for (const [name, path, body] of [
    ...['claude-opus-4-1', 'claude-opus-4-6', 'claude-opus-5-5'].map(
      (model) =>
        [
          `a search of ${model}`,
          '/v1/messages',
          { ...claude(model, { type: 'text', text: LONG }), tools: [search] },
        ] as const,
    ),
    ...['gpt-5', 'gpt-5-pro', 'gpt-6-sol', 'gpt-6-astra'].map(
      (model) =>
        [
          `ten tools and a search of ${model}`,
          '/v1/responses',
          { model, input: LONG, tools: [...tools, { type: 'web_search' }] },
        ] as const,
    ),
    ['a long prompt for o1-pro', '/v1/responses', { model: 'o1-pro', input: LONG }],
    [
      'code and pages for Gemini',
      '/v1beta/models/gemini-2.5-pro:generateContent',
      {
        contents: [{ parts: [{ text: LONG }] }],
        tools: [{ codeExecution: {} }, { urlContext: {} }],
      },
    ],
  ] as const)
    test(`${name} without a stated maximum is served with the default budget`, async () => {
      const tenant = await newTenant(gateway, LIMITS);
      const answer = await ask(tenant, { path, body });
      assert.equal(answer.status, 200, answer.text);
    });

  const CONTEXT = 'lorem ipsum '.repeat(17_000);
  for (const [name, path, body] of [
    [
      'a search of gpt-5.5-pro',
      '/v1/responses',
      { model: 'gpt-5.5-pro', input: LONG, tools: [{ type: 'web_search' }] },
    ],
    ...['gpt-5.5', 'gpt-6-astra'].map(
      (model) =>
        [
          `200 KB and a search of ${model}`,
          '/v1/responses',
          { model, input: CONTEXT, tools: [{ type: 'web_search' }], max_tool_calls: null },
        ] as const,
    ),
    ...['gemini-2.5-pro', 'gemini-3-pro-preview'].map(
      (model) =>
        [
          `code of ${model}`,
          `/v1beta/models/${model}:generateContent`,
          { contents: [{ parts: [{ text: LONG }] }], tools: [{ codeExecution: {} }] },
        ] as const,
    ),
  ] as const)
    test(`${name} is served with the default budget`, async () => {
      const tenant = await newTenant(gateway, { tokensPerMinute: 500_000 });
      const answer = await ask(tenant, { path, body });
      assert.equal(answer.status, 200, answer.text);
    });

  test('the tools of Codex, a search among them and a web search are served with ten searches and a budget of 70 dollars', async () => {
    const seen: unknown[] = [];
    gateway.simulator.observe(({ json }) => seen.push(json['max_tool_calls']));
    const tenant = await newTenant(gateway, { monthlyBudgetUsd: 70 });
    const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' };
    const body = {
      model: 'gpt-6-astra',
      instructions: LONG,
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: LONG }] }],
      tools: [
        ...tools,
        { type: 'custom', name: 'apply_patch', format: grammar },
        { type: 'tool_search', execution: 'client', parameters: { type: 'object' } },
        { type: 'namespace', name: 'mcp', tools },
        { type: 'web_search', external_web_access: true },
      ],
      store: false,
    };
    const answers = await Promise.all(
      [1, 2].map(() => ask(tenant, { path: '/v1/responses', body })),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    assert.deepEqual(seen, [10, 10]);
  });

  test('a search of Gemini that the operator has priced is served with a budget of 10 dollars', async () => {
    const tenant = await newTenant(gateway, { monthlyBudgetUsd: 10 });
    const path = '/v1beta/models/gemini-2.5-pro:generateContent';
    const body = { contents: [{ parts: [{ text: LONG }] }], tools: [{ googleSearch: {} }] };
    const answer = await ask(tenant, { path, body });
    assert.equal(answer.status, 200, answer.text);
  });

  test('the uses of tools are bounded by the money that is left, unless the request bounds them', async () => {
    const seen: unknown[] = [];
    gateway.simulator.observe(({ json }) => seen.push(json['max_tool_calls']));
    const body = { model: 'gpt-5.5-pro', input: 'Hi', tools: [{ type: 'web_search' }] };
    const askWith = async (monthlyBudgetUsd: number, fields: object = {}) => {
      const tenant = await newTenant(gateway, { monthlyBudgetUsd });
      return (await ask(tenant, { path: '/v1/responses', body: { ...body, ...fields } })).status;
    };
    // The output may cost 23 dollars, and the first search 4.
    assert.equal(await askWith(26), 402);
    assert.equal(await askWith(30), 200);
    assert.equal(await askWith(80), 200);
    assert.equal(await askWith(80, { max_tool_calls: 9 }), 402);
    assert.equal(await askWith(1000), 200);
    assert.equal(await askWith(1000, { max_tool_calls: 9 }), 200);
    assert.deepEqual(seen, [2, 6, 10, 9]);
  });

  test('the pages that Anthropic fetches are bounded by the money that is left, unless the request bounds them', async () => {
    const seen: unknown[] = [];
    gateway.simulator.observe(({ json }) => {
      const tools = Array.isArray(json['tools']) ? json['tools'] : [];
      seen.push(tools.map((tool: { max_uses?: unknown }) => tool.max_uses));
    });
    const own = { name: 'f', input_schema: {} };
    const fetching = { type: 'web_fetch_20250910', name: 'web_fetch' };
    const askWith = async (monthlyBudgetUsd: number, ...tools: readonly object[]) => {
      const tenant = await newTenant(gateway, { monthlyBudgetUsd });
      const body = { ...claude('claude-fable-5', { type: 'text', text: LONG }), tools };
      return (await ask(tenant, { body })).status;
    };
    // Each use may read a window of a million tokens, at 12.5 dollars.
    assert.equal(await askWith(100, own, fetching), 200);
    assert.equal(await askWith(30, { ...fetching, max_uses: null }, own), 200);
    assert.equal(await askWith(30, { ...fetching, max_uses: 1 }, fetching), 200);
    assert.equal(await askWith(1000, fetching), 200);
    assert.equal(await askWith(12, fetching), 402);
    assert.equal(await askWith(100, { ...fetching, max_uses: 9 }), 402);
    assert.deepEqual(seen, [[undefined, 7], [2, undefined], [1, 1], [undefined]]);
  });

  test('a model may search a hundred times in a response under the default budget', async () => {
    const seen: unknown[] = [];
    gateway.simulator.observe(({ json }) => seen.push(json['max_tool_calls']));
    const tenant = await newTenant(gateway, LIMITS);
    const body = { model: 'gpt-5-mini', input: 'Hi', tools: [{ type: 'web_search' }] };
    assert.equal((await ask(tenant, { path: '/v1/responses', body })).status, 200);
    assert.deepEqual(seen, [100]);
  });

  test('several searches at once share a budget that does not cover all uses of each', async () => {
    const tenant = await newTenant(gateway, { monthlyBudgetUsd: 100 });
    const body = { model: 'gpt-5.5-pro', input: 'Hi', tools: [{ type: 'web_search' }] };
    const answers = await Promise.all(
      [1, 2, 3].map(() => ask(tenant, { path: '/v1/responses', body })),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
  });

  for (const [path, body] of [
    [
      '/v1/messages',
      { ...claude('claude-opus-4-1', { type: 'text', text: 'Hi' }), mcp_servers: [] },
    ],
    ['/v1/chat/completions', { ...chat({ type: 'text', text: 'Hi' }), plugins: [], models: [] }],
  ] as const)
    test(`empty lists of features at ${path} ask for none`, async () => {
      const tenant = await newTenant(gateway, { monthlyBudgetUsd: 2 });
      const answer = await ask(tenant, { path, body });
      assert.equal(answer.status, 200, answer.text);
    });
});
