// Streams that fail after content: the caller gets the error in its format, and a client that skips it still sees a failure.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, afterEach, before, suite, test } from 'node:test';
import { GoogleGenAI } from '@google/genai';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const BODY = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] });

suite('a Gemini stream that is cut after content', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());
  afterEach(() => gateway.simulator.resetScenario());

  for (const query of ['?alt=sse', '']) {
    test(`ends in an error and a broken connection, with ${query === '' ? 'an array' : 'events'}`, async () => {
      gateway.simulator.setScenario({ preset: 'cut', afterChunks: 2, chunkDelayMs: 20 });
      const { text, isWhole } = await readRaw(query);
      assert.match(text, /"error"/);
      assert.match(text, /NETWORK_TIMEOUT/);
      assert.equal(isWhole, false);
    });
  }

  test('makes the SDK throw after the parts that arrived', async () => {
    gateway.simulator.setScenario({ preset: 'cut', afterChunks: 2, chunkDelayMs: 20 });
    const { url, apiKey } = gateway;
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });
    const asked = { model: 'gemini-2.5-flash', contents: 'Hello' };
    const parts = await client.models.generateContentStream(asked);
    let count = 0;
    await assert.rejects(async () => {
      for await (const _part of parts) count += 1;
    });
    assert.ok(count > 0);
  });

  test('of a healthy provider ends cleanly', async () => {
    const { text, isWhole } = await readRaw('?alt=sse');
    assert.match(text, /finishReason/);
    assert.equal(isWhole, true);
  });

  async function readRaw(query: string): Promise<{ text: string; isWhole: boolean }> {
    const path = `/v1beta/models/gemini-2.5-flash:streamGenerateContent${query}`;
    const headers = { 'x-goog-api-key': gateway.apiKey, 'content-type': 'application/json' };
    const asked = request(gateway.url + path, { method: 'POST', headers }).end(BODY);
    const [response] = await once(asked, 'response');
    const chunks: Buffer[] = [];
    response.on('error', () => {});
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    await new Promise((resolve) => response.once('close', resolve));
    return { text: Buffer.concat(chunks).toString(), isWhole: response.complete };
  }
});
