// Google's official SDK against every Gemini endpoint: tools, token counts, embeddings, models.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { ApiError, type FunctionDeclaration, Type } from '@google/genai';
import { google, WEATHER } from '../../support/gateway/sdk-clients.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const MODEL = 'gemini-2.5-flash';
const DECLARATION: FunctionDeclaration = {
  name: WEATHER.name,
  description: WEATHER.description,
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } } },
};
const CONFIG = { tools: [{ functionDeclarations: [DECLARATION] }] };

suite("Google's SDK", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  for (const base of ['', '/gemini']) {
    test(`base ${base || '/'}: tokens are counted, texts embedded, models listed`, async () => {
      const { models } = google(gateway, base);
      const { totalTokens } = await models.countTokens({ model: MODEL, contents: 'Hello there' });
      assert.ok((totalTokens ?? 0) > 0);
      const embedded = await models.embedContent({
        model: 'gemini-embedding-001',
        contents: ['one', 'two'],
        config: { outputDimensionality: 16 },
      });
      const sizes = embedded.embeddings?.map(({ values }) => values?.length);
      assert.deepEqual(sizes, [16, 16]);
      const names: string[] = [];
      for await (const model of await models.list({ config: { pageSize: 7 } }))
        names.push(model.name ?? '');
      assert.ok(names.length > 7 && names.includes(`models/${MODEL}`));
      assert.equal((await models.get({ model: MODEL })).name, `models/${MODEL}`);
    });
  }

  for (const version of ['v1', 'v1alpha'] as const) {
    test(`version ${version}: calls and lists work there too`, async () => {
      for (const base of ['', '/gemini']) {
        const listed = await google(gateway, base, version).models.list();
        assert.ok(listed.page.some(({ name }) => name === `models/${MODEL}`));
      }
      const { models } = google(gateway, '/gemini', version);
      assert.ok((await models.generateContent({ model: MODEL, contents: 'Hello' })).text);
      assert.equal((await models.get({ model: MODEL })).name, `models/${MODEL}`);
    });
  }

  test('functions are called and their results accepted, unary and streamed', async () => {
    const { models } = google(gateway);
    const question = { role: 'user', parts: [{ text: WEATHER.question }] };
    const ask = { model: MODEL, contents: [question], config: CONFIG };
    const first = await models.generateContent(ask);
    const call = first.functionCalls?.[0];
    assert.equal(call?.name, WEATHER.name);
    let streamed: unknown;
    for await (const chunk of await models.generateContentStream(ask))
      streamed ??= chunk.functionCalls?.[0]?.args;
    assert.deepEqual(streamed, call.args);
    const response = { name: WEATHER.name, response: { output: WEATHER.result } };
    const second = await models.generateContent({
      ...ask,
      contents: [
        question,
        { role: 'model', parts: [{ functionCall: call }] },
        { role: 'user', parts: [{ functionResponse: response }] },
      ],
    });
    assert.ok(second.text);
    assert.equal(second.functionCalls, undefined);
  });

  test('a key in the query authenticates lists and calls', async () => {
    const list = `${gateway.url}/v1beta/models?key=${gateway.apiKey}&pageSize=2`;
    assert.equal((await fetch(list)).status, 200);
    assert.equal((await fetch(`${gateway.url}/v1/models?key=${gateway.apiKey}`)).status, 401);
    const call = `${gateway.url}/v1beta/models/${MODEL}:countTokens?key=${gateway.apiKey}`;
    const body = JSON.stringify({ contents: [{ parts: [{ text: 'Hello' }] }] });
    assert.equal((await fetch(call, { method: 'POST', body })).status, 200);
    assert.ok(!JSON.stringify(gateway.simulator.log()).includes(gateway.apiKey));
  });

  test("unknown models and forbidden calls are raised as the SDK's own class", async () => {
    await assert.rejects(
      google(gateway).models.get({ model: 'nobody-has-this' }),
      (error) => error instanceof ApiError && error.status === 404,
    );
    await assert.rejects(
      google({ ...gateway, apiKey: 'not-a-key-of-anybody' }).models.list(),
      (error) => error instanceof ApiError && error.status === 401,
    );
  });
});
