// Features that the vendors' SDKs document outside of the usual fields: a tool that a message adds in the middle of a conversation,
// a conversation and a summary at the provider, other kinds of output by their formats. Each is priced, reserved or refused by
// name before the provider is called.

import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { ask, errorOf, newTenant, usageOf } from '../../support/gateway/call-rig.ts';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';

const FILE = `${SINGLE_ATTEMPTS}prices: { tools: { advisor: 0.01 } }\n`;
const BETAS = { 'anthropic-beta': 'inline-tools-2026-09-15' };
const HELLO = { role: 'user', content: 'Hello' };
const CLAUDE = { model: 'claude-sonnet-4-5', max_tokens: 100, messages: [HELLO] };
const OWN = { name: 'f', input_schema: { type: 'object', properties: { definition: {} } } };
const EXECUTION = { type: 'code_execution_20260521', name: 'code_execution' };
const SEARCH = { type: 'web_search_20260318', name: 'web_search', max_uses: 2 };
const ADVISOR = { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-6' };
const GEMINI_PATH = '/v1beta/models/gemini-2.5-flash:generateContent';
const CONTENTS = [{ role: 'user', parts: [{ text: 'Hello' }] }];

let gateway: TestGateway;

suite('features outside of the usual fields', () => {
  before(async () => {
    gateway = await startTestGateway({}, () => FILE);
  });
  afterEach(() => gateway.simulator.resetScenario());
  after(() => gateway.close());

  const addition = (definition: object) => ({
    type: 'tool_addition',
    tool: { type: 'tool_definition', definition },
  });
  const adding = (...definitions: readonly object[]) => ({
    ...CLAUDE,
    tools: [OWN],
    messages: [HELLO, { role: 'system', content: definitions.map(addition) }],
  });
  const compacted = {
    ...CLAUDE,
    messages: [
      {
        role: 'assistant',
        content: [{ type: 'compaction', content: 'Hi', tool_changes: [addition(EXECUTION)] }],
      },
      HELLO,
    ],
  };
  const escaped = JSON.stringify(adding(EXECUTION)).replace(
    '"definition":{"t',
    '"\\u0064efinition":{"t',
  );
  for (const [name, body, field] of [
    ['an addition', adding(OWN, EXECUTION), 'tool.definition.type'],
    ['an addition under an escaped name', escaped, 'tool.definition.type'],
    ['an addition of a compacted conversation', compacted, 'tool.definition.type'],
  ] as const)
    test(`a tool without a price in ${name} is refused by name`, async () => {
      gateway.simulator.clearLog();
      const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1000 });
      const answer = await ask(tenant, { body, headers: BETAS });
      assert.equal(answer.status, 400, answer.text);
      assert.equal(errorOf(answer).params['field'], field);
      assert.deepEqual(gateway.simulator.log(), []);
    });

  test('a definition in another case is refused', async () => {
    const body = JSON.stringify(adding(EXECUTION)).replace('"definition":{"t', '"Definition":{"t');
    const answer = await ask(await newTenant(gateway), { body, headers: BETAS });
    assert.equal(answer.status, 400, answer.text);
    assert.equal(errorOf(answer).params['field'], 'definition');
  });

  test('an added search is reserved, and charged as reported', async () => {
    gateway.simulator.setScenario({
      usage: { inputTokens: 1000, outputTokens: 100, webSearches: 2 },
    });
    const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1000 });
    const answer = await ask(tenant, { body: adding(SEARCH), headers: BETAS });
    assert.equal(answer.status, 200, answer.text);
    // 1000 × 3000 + 100 × 15,000 + 2 × 10,000,000
    assert.equal((await usageOf(tenant, 1)).costUsd, 24_500_000 / 1e9);
    gateway.simulator.clearLog();
    const poor = await newTenant(gateway, { monthlyBudgetUsd: 0.5 });
    assert.equal((await ask(poor, { body: adding(SEARCH), headers: BETAS })).status, 402);
    const open = { ...SEARCH, max_uses: undefined };
    assert.equal((await ask(poor, { body: adding(open), headers: BETAS })).status, 402);
    assert.deepEqual(gateway.simulator.log(), []);
  });

  test('the model of an added tool counts against the list of a key', async () => {
    const body = adding(ADVISOR);
    const models = [CLAUDE.model];
    const tenant = await newTenant(gateway, {}, { models });
    assert.equal((await ask(tenant, { body, headers: BETAS })).status, 403);
    const other = await newTenant(gateway, {}, { models: [...models, ADVISOR.model] });
    assert.equal((await ask(other, { body, headers: BETAS })).status, 200);
  });

  test('an added tool of the caller is served, and the beta reaches the provider', async () => {
    gateway.simulator.clearLog();
    const seen: unknown[] = [];
    gateway.simulator.observe(({ headers }) => seen.push(headers['anthropic-beta']));
    const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1 });
    const answer = await ask(tenant, { body: adding(OWN), headers: BETAS });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(seen, [BETAS['anthropic-beta']]);
  });

  test('a conversation that Anthropic stores belongs to the account', async () => {
    gateway.simulator.clearLog();
    const body = { ...CLAUDE, thread: { type: 'continue', previous_message_id: 'msg_1' } };
    const answer = await ask(await newTenant(gateway), { body });
    assert.equal(answer.status, 400, answer.text);
    assert.equal(errorOf(answer).params['field'], 'thread');
    assert.deepEqual(gateway.simulator.log(), []);
  });

  test('a request for a summary reserves the summary', async () => {
    const body = { ...CLAUDE, compaction: { type: 'summarize' } };
    // 20,000 tokens at 3750 and at 15,000
    assert.equal(
      (await ask(await newTenant(gateway, { monthlyBudgetUsd: 0.3 }), { body })).status,
      402,
    );
    assert.equal(
      (await ask(await newTenant(gateway, { monthlyBudgetUsd: 0.5 }), { body })).status,
      200,
    );
    const none = { ...CLAUDE, compaction: null };
    const poor = await newTenant(gateway, { monthlyBudgetUsd: 0.3 });
    assert.equal((await ask(poor, { body: none })).status, 200);
  });

  const image = { image: { aspectRatio: '1:1' } };
  for (const [name, config] of [
    ['a list', { responseFormat: [image] }],
    ['one object', { responseFormat: image }],
    ['the other spelling', { response_format: [{ text: {} }, image] }],
    ['beside text as modality', { responseModalities: ['TEXT'], responseFormat: [image] }],
    ['as audio', { responseFormat: [{ audio: {} }] }],
    ['as video', { responseFormat: [{ video: {} }] }],
  ] as const)
    test(`output other than text by its format (${name}) is refused where it has no price`, async () => {
      gateway.simulator.clearLog();
      const tenant = await newTenant(gateway, { monthlyBudgetUsd: 1000 });
      const body = { contents: CONTENTS, generationConfig: config };
      const answer = await ask(tenant, { path: GEMINI_PATH, body });
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.text, /generationConfig\.response_?[fF]ormat/);
      assert.deepEqual(gateway.simulator.log(), []);
    });

  test('text as the format, and an image where it has a price, are served', async () => {
    const schema = { type: 'object', properties: { image: { type: 'string' } } };
    const text = { responseFormat: [{ text: { mimeType: 'application/json', schema } }] };
    for (const [path, generationConfig] of [
      [GEMINI_PATH, text],
      [GEMINI_PATH, { responseFormat: [{ text: {}, image: null }] }],
      [GEMINI_PATH.replace('flash', 'flash-image'), { responseFormat: [image] }],
    ] as const) {
      const tenant = await newTenant(gateway, { monthlyBudgetUsd: 10 });
      const answer = await ask(tenant, { path, body: { contents: CONTENTS, generationConfig } });
      assert.equal(answer.status, 200, answer.text);
    }
  });

  test('an answer that Gemini continues reserves the context window', async () => {
    const body = { contents: CONTENTS, generationConfig: { maxOutputTokens: 10 } };
    for (const [token, status] of [
      [undefined, 200],
      ['AAAA', 402],
    ] as const) {
      // A window of 1,048,576 tokens at 300, and more for media
      const tenant = await newTenant(gateway, { monthlyBudgetUsd: 0.1 });
      const continued = { ...body, continuationToken: token };
      const answer = await ask(tenant, { path: GEMINI_PATH, body: continued });
      assert.equal(answer.status, status, answer.text);
    }
  });

  // The last test: its jobs run later.
  test('a job counts the model of an added tool against the list of its key', async () => {
    const models = [CLAUDE.model];
    const tenant = await newTenant(gateway, {}, { models });
    const other = await newTenant(gateway, {}, { models: [...models, ADVISOR.model] });
    const content = [{ type: 'compaction', tool_changes: [addition(ADVISOR)] }];
    const repeated = { ...CLAUDE, messages: [{ role: 'assistant', content }] };
    for (const request of [adding(ADVISOR), repeated]) {
      const body = { model: CLAUDE.model, format: 'anthropic', request };
      assert.equal((await ask(tenant, { path: '/v1/jobs', body })).status, 403);
      assert.equal((await ask(other, { path: '/v1/jobs', body })).status, 202);
    }
  });
});
