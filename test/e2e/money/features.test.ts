// Features that cost more than tokens at the standard price are charged at the list price, or refused by name before the
// provider is called. Expected costs are written out with their arithmetic, in nanodollars.

import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { ask, errorOf, newTenant, usageOf } from '../../support/gateway/call-rig.ts';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';

const FILE = `${SINGLE_ATTEMPTS}prices: { tools: { code_interpreter: 0.03 }, tiers: { flex: 0.5, priority: 2 } }\nforwarding: { storedObjects: ['*'] }\n`;
const LENIENT = `aliases:
  claude: { targets: [anthropic/claude-sonnet-4-5], translate: lenient }
`;
const MESSAGES = [{ role: 'user', content: 'Hello' }];
const CLAUDE = { model: 'claude-sonnet-4-5', max_tokens: 100, messages: MESSAGES };
const CHAT = { model: 'gpt-4o', max_tokens: 100, messages: MESSAGES };
const RESPONSES = { model: 'gpt-4.1', max_output_tokens: 100, input: 'Hello' };
const GEMINI = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
const GEMINI_PATH = '/v1beta/models/gemini-2.5-flash:generateContent';
const GEMINI_STREAM = '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse';
const TOKENS = { inputTokens: 1000, outputTokens: 100 };

let gateway: TestGateway;

suite('the cost of features', () => {
  before(async () => {
    gateway = await startTestGateway({}, () => FILE + LENIENT);
  });
  afterEach(() => gateway.simulator.resetScenario());
  after(() => gateway.close());

  const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 5 };
  const cases = [
    // 1000 × 3000 + 100 × 15000 + 3 × 10,000,000
    [
      'Messages web search',
      '/v1/messages',
      { ...CLAUDE, tools: [search] },
      { webSearches: 3 },
      34_500_000,
    ],
    // 1000 × 2000 + 100 × 8000 + 2 × 10,000,000 + 1 × 2,500,000
    [
      'Responses web and file search',
      '/v1/responses',
      { ...RESPONSES, max_tool_calls: 4, tools: [{ type: 'web_search' }, { type: 'file_search' }] },
      { webSearches: 2, fileSearches: 1 },
      25_300_000,
    ],
    // 1000 × 2000 + 100 × 8000 + 2 × 25,000,000: the earlier version at a model without reasoning
    [
      'Responses search of the earlier version',
      '/v1/responses',
      { ...RESPONSES, max_tool_calls: 4, tools: [{ type: 'web_search_preview_2025_03_11' }] },
      { webSearches: 2 },
      52_800_000,
    ],
    // 1000 × 1250 + 100 × 10000 + 2 × 10,000,000: at a model with reasoning
    [
      'Responses search of the earlier version by a reasoning model',
      '/v1/responses',
      {
        ...RESPONSES,
        model: 'gpt-5',
        max_tool_calls: 4,
        tools: [{ type: 'web_search_preview' }],
      },
      { webSearches: 2 },
      22_250_000,
    ],
    // (1000 × 2500 + 100 × 10000) × 0.5
    [
      'the flex tier',
      '/v1/chat/completions',
      { ...CHAT, service_tier: 'flex' },
      { serviceTier: 'flex' },
      1_750_000,
    ],
    // (1000 × 2000 + 100 × 8000) × 2
    [
      'the priority tier',
      '/v1/responses',
      { ...RESPONSES, service_tier: 'priority' },
      { serviceTier: 'priority' },
      5_600_000,
    ],
    // (1000 × 2000 + 100 × 8000) × 2
    [
      'the fast mode of OpenAI, which is its priority tier',
      '/v1/responses',
      { ...RESPONSES, service_tier: 'fast' },
      { serviceTier: 'priority' },
      5_600_000,
    ],
    // 1000 × 2500 + 100 × 10000: the provider served it at the default tier
    [
      'a priority request at the default tier',
      '/v1/chat/completions',
      { ...CHAT, service_tier: 'priority' },
      {},
      3_500_000,
    ],
  ] as const;
  for (const [name, path, body, usage, nanos] of cases)
    for (const stream of [false, true])
      test(`${name} costs its list price, ${stream ? 'streamed' : 'unary'}`, async () => {
        gateway.simulator.setScenario({ usage: { ...TOKENS, ...usage } });
        const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1000 });
        const answer = await ask(tenant, { path, body: { ...body, stream } });
        assert.equal(answer.status, 200, answer.text);
        assert.equal((await usageOf(tenant, 1)).costUsd, nanos / 1e9);
      });

  for (const path of [GEMINI_PATH, GEMINI_STREAM])
    test(`Gemini audio input costs its own price at ${path}`, async () => {
      gateway.simulator.setScenario({ usage: { ...TOKENS, audioInputTokens: 400 } });
      const tenant = await newTenant(gateway);
      const answer = await ask(tenant, { path, body: GEMINI });
      assert.equal(answer.status, 200, answer.text);
      // 600 × 300 + 400 × 1000 + 100 × 2500
      assert.equal((await usageOf(tenant, 1)).costUsd, 830_000 / 1e9);
    });

  // (1000 × 300 + 100 × 2500) × 0.5 or × 2 or × 1
  for (const [requested, served, nanos] of [
    ['flex', 'FLEX', 275_000],
    ['flex', 'STANDARD', 550_000],
    ['flex', 'ON_DEMAND', 550_000],
    ['flex', undefined, 275_000],
    ['priority', 'ON_DEMAND_PRIORITY', 1_100_000],
    ['priority', 'PROVISIONED_THROUGHPUT', 1_100_000],
    ['priority', undefined, 1_100_000],
  ] as const)
    for (const path of [GEMINI_PATH, GEMINI_STREAM])
      for (const field of ['service_tier', 'serviceTier'])
        test(`${field} ${requested} at ${path}, served at ${served}, costs the served tier, else the requested one`, async () => {
          gateway.simulator.setScenario({ usage: { ...TOKENS, serviceTier: served } });
          const tenant = await newTenant(gateway);
          const answer = await ask(tenant, { path, body: { ...GEMINI, [field]: requested } });
          assert.equal(answer.status, 200, answer.text);
          assert.equal((await usageOf(tenant, 1)).costUsd, nanos / 1e9);
        });

  // (1000 × 2500 + 100 × 10000) × 1 or × 2
  for (const [requested, nanos] of [
    ['flex', 3_500_000],
    ['priority', 7_000_000],
  ] as const)
    for (const stream of [false, true])
      test(`the ${requested} tier that the answer does not report makes it no cheaper (stream: ${stream})`, async () => {
        gateway.simulator.setScenario({ usage: { ...TOKENS, serviceTier: '' } });
        const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1000 });
        const body = { ...CHAT, service_tier: requested, stream };
        const answer = await ask(tenant, { path: '/v1/chat/completions', body });
        assert.equal(answer.status, 200, answer.text);
        assert.equal((await usageOf(tenant, 1)).costUsd, nanos / 1e9);
      });

  for (const [name, path, body] of [
    [
      'the priority tier',
      '/v1/chat/completions',
      { ...CHAT, model: 'claude', service_tier: 'priority' },
    ],
    [
      'a priced tool',
      '/v1beta/models/claude:generateContent',
      { ...GEMINI, tools: [{ codeInterpreter: {} }] },
    ],
  ] as const)
    test(`${name} that is dropped at a target of another format costs nothing and reserves nothing`, async () => {
      gateway.simulator.setScenario({ usage: TOKENS });
      const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1.5 });
      const answer = await ask(tenant, { path, body });
      assert.equal(answer.status, 200, answer.text);
      // 1000 × 3000 + 100 × 15000
      assert.equal((await usageOf(tenant, 1)).costUsd, 4_500_000 / 1e9);
    });

  const thinking = { ...TOKENS, thinkingTokens: 80 };
  for (const [name, path, body, nanos] of [
    // 1000 × 3000 + 100 × 15000
    ['Messages', '/v1/messages', CLAUDE, 4_500_000],
    // 1000 × 2000 + 100 × 8000
    ['Responses', '/v1/responses', RESPONSES, 2_800_000],
    // 1000 × 300 + 100 × 2500
    ['generateContent', GEMINI_PATH, GEMINI, 550_000],
    ['streamGenerateContent', GEMINI_STREAM, GEMINI, 550_000],
  ] as const)
    for (const stream of path.startsWith('/v1/') ? [false, true] : [undefined])
      for (const thought of ['', 'Let me see'])
        test(`a refusal of ${name} after ${thought ? 'thinking' : 'hidden thinking'} costs what the provider reports (stream: ${stream})`, async () => {
          const scenario = { preset: 'refusal', usage: thinking, thinking: thought };
          gateway.simulator.setScenario(scenario);
          const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1000 });
          await ask(tenant, { path, body: stream === undefined ? body : { ...body, stream } });
          const { costUsd } = await usageOf(tenant, 1);
          assert.equal(costUsd, nanos / 1e9);
        });

  const audio = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } };
  const input_audio = { data: 'AAAA', format: 'wav' };
  const SPOKEN = [{ role: 'user', content: [{ type: 'input_audio', input_audio }] }];
  const refused = [
    ['/v1/messages', { ...CLAUDE, service_tier: 'batch' }, 'service_tier'],
    ['/v1/messages', { ...CLAUDE, speed: 'fast' }, 'speed'],
    ['/v1/messages', { ...CLAUDE, inference_geo: 'us' }, 'inference_geo'],
    ['/v1/messages', { ...CLAUDE, tools: [{ type: 'code_execution_20250825' }] }, 'tools[0].type'],
    [
      '/v1/messages',
      { ...CLAUDE, tools: [{ type: 'advisor_20260301', model: 'claude-opus-4-6' }] },
      'tools[0].model',
    ],
    ['/v1/messages', { ...CLAUDE, fallbacks: [{ model: 'claude-opus-4-1' }] }, 'fallbacks'],
    ['/v1/chat/completions', { ...CHAT, models: ['gpt-5-pro'] }, 'models'],
    ['/v1/chat/completions', { ...CHAT, plugins: [{ id: 'web' }] }, 'plugins'],
    ['/v1/chat/completions', { ...CHAT, search_parameters: { mode: 'on' } }, 'search_parameters'],
    ['/v1/responses', { ...RESPONSES, plugins: [{ id: 'web' }] }, 'plugins'],
    ['/v1/chat/completions', { ...CHAT, service_tier: 'scale' }, 'service_tier'],
    ['/v1/chat/completions', { ...CHAT, messages: SPOKEN }, 'input_audio'],
    ['/v1/chat/completions', { ...CHAT, ...audio }, 'modalities'],
    ['/v1/responses', { ...RESPONSES, tools: [{ type: 'image_generation' }] }, 'tools[0].type'],
    [GEMINI_PATH, { ...GEMINI, tools: [{ googleSearch: {} }] }, 'tools[0].googleSearch'],
    [
      GEMINI_PATH,
      { ...GEMINI, generationConfig: { responseModalities: ['IMAGE'] } },
      'generationConfig.responseModalities',
    ],
    [
      GEMINI_PATH,
      {
        ...GEMINI,
        generationConfig: { routingConfig: { manualMode: { modelName: 'gemini-2.5-pro' } } },
      },
      'generationConfig.routingConfig',
    ],
  ] as const;
  for (const [path, body, field] of refused)
    test(`${path} refuses ${field}, which has no price, and calls no provider`, async () => {
      gateway.simulator.clearLog();
      const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1000 });
      const answer = await ask(tenant, { path, body });
      assert.equal(answer.status, 400, answer.text);
      assert.ok(answer.text.includes(field), answer.text);
      const isAlwaysRefused = /models|fallbacks|routingConfig/.test(field);
      const problem = isAlwaysRefused ? 'not_supported' : 'unpriced_field';
      assert.ok(answer.text.includes(`"problem":"${problem}"`), answer.text);
      assert.equal(/ask your administrator/.test(answer.text), !isAlwaysRefused, answer.text);
      assert.deepEqual(gateway.simulator.log(), []);
    });

  test('a model that searches with each request is refused if the search has no price', async () => {
    const calls = gateway.simulator.log().length;
    const body = { ...CHAT, model: 'gpt-4o-search-preview' };
    const answer = await ask(await newTenant(gateway), { path: '/v1/chat/completions', body });
    assert.deepEqual([answer.status, errorOf(answer).params['field']], [404, 'model']);
    assert.equal(gateway.simulator.log().length, calls);
  });

  test('a model that searches with each request costs the search, with and without options of it', async () => {
    for (const options of [{}, { web_search_options: {} }]) {
      gateway.simulator.setScenario({ usage: TOKENS });
      const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1000 });
      const body = { ...CHAT, model: 'gpt-4o-mini-search-preview', ...options };
      const answer = await ask(tenant, { path: '/v1/chat/completions', body });
      assert.equal(answer.status, 200, answer.text);
      // 1000 × 150 + 100 × 600 + 1 × 25,000,000
      assert.equal((await usageOf(tenant, 1)).costUsd, 25_210_000 / 1e9);
    }
  });

  test('a tool that the operator has priced is served and charged per use', async () => {
    gateway.simulator.setScenario({ usage: TOKENS });
    const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1000 });
    const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }];
    const answer = await ask(tenant, { path: '/v1/responses', body: { ...RESPONSES, tools } });
    assert.equal(answer.status, 200, answer.text);
    // 1000 × 2000 + 100 × 8000; the answer reports no use
    assert.equal((await usageOf(tenant, 1)).costUsd, 2_800_000 / 1e9);
  });

  const bypasses = [
    [
      'an escaped file_id',
      '/v1/responses',
      '{"model":"gpt-4.1","max_output_tokens":1,"input":[{"role":"user","content":[{"type":"input_file","file\\u005fid":"f"}]}]}',
    ],
    [
      'max_output_tokens on chat',
      '/v1/chat/completions',
      JSON.stringify({ ...CHAT, max_tokens: undefined, max_output_tokens: 1 }),
    ],
    ['max_tokens 0', '/v1/chat/completions', JSON.stringify({ ...CHAT, max_tokens: 0 })],
  ] as const;
  for (const [name, path, body] of bypasses)
    test(`${name} does not shrink the reservation`, async () => {
      gateway.simulator.clearLog();
      const tenant = await newTenant(gateway, { monthlyBudgetUsd: 0.05 });
      const answer = await ask(tenant, { path, body });
      assert.equal(answer.status, 402, answer.text);
      assert.deepEqual(gateway.simulator.log(), []);
    });

  const ambiguous = [
    ['{"model":"gpt-4o","messages":[{"role":"user","content":"x"}],"Max_Tokens":5}', 'max_tokens'],
    [
      '{"model":"gpt-4o","messages":[],"tools":[{"type":"function","type":"web_search"}]}',
      'tools[0].type',
    ],
    [
      '{"model":"gpt-4o","messages":[],"service_tier":"auto","service\\u005ftier":"flex"}',
      'service_tier',
    ],
  ] as const;
  for (const [body, field] of ambiguous)
    test(`a body that names ${field} ambiguously is refused`, async () => {
      const tenant = await newTenant(gateway);
      const answer = await ask(tenant, { path: '/v1/chat/completions', body });
      assert.equal(answer.status, 400, answer.text);
      assert.equal(errorOf(answer).params['field'], field);
    });
});
