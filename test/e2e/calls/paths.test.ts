// The paths of a running gateway, as clients with right and wrong base URLs use them.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { ApiError as GoogleError, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';
import { errorOf, type RawAnswer, rawSender, type SendRaw } from './raw-request.ts';

let gateway: TestGateway;
let send: SendRaw;

before(async () => {
  gateway = await startTestGateway();
  send = rawSender(gateway);
});

after(async () => {
  await gateway.close();
});

const MESSAGES = [{ role: 'user', content: 'Hello' }];
const ANTHROPIC = { model: 'claude-sonnet-4-5', max_tokens: 20, messages: MESSAGES };
const CHAT = { model: 'gpt-5-mini', messages: MESSAGES };
const RESPONSES = { model: 'gpt-5-mini', input: 'Hello' };
const EMBEDDINGS = { model: 'text-embedding-3-small', input: 'Hello' };
const GEMINI = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
const EMBED = { content: { parts: [{ text: 'Hello' }] } };
const BATCH = { requests: [{ model: 'models/gemini-embedding-001', ...EMBED }] };
const COUNT = { model: ANTHROPIC.model, messages: MESSAGES };
const FLASH = 'models/gemini-2.5-flash';
const EMBEDDING = 'models/gemini-embedding-001';

describe('endpoints', () => {
  const cases: readonly (readonly [paths: readonly string[], body: object, field: string])[] = [
    [['/v1/messages', '/anthropic/v1/messages', '/anthropic/messages'], ANTHROPIC, 'content'],
    [['/v1/messages/count_tokens', '/anthropic/v1/messages/count_tokens'], COUNT, 'input_tokens'],
    [
      ['/v1/chat/completions', '/openai/v1/chat/completions', '/openai/chat/completions'],
      CHAT,
      'choices',
    ],
    [['/v1/responses', '/openai/v1/responses', '/openai/responses'], RESPONSES, 'output'],
    [['/v1/embeddings', '/openai/v1/embeddings', '/openai/embeddings'], EMBEDDINGS, 'data'],
    [gemini(`${FLASH}:generateContent`), GEMINI, 'candidates'],
    [gemini(`${FLASH}:countTokens`), GEMINI, 'totalTokens'],
    [gemini(`${EMBEDDING}:embedContent`), EMBED, 'embedding'],
    [gemini(`${EMBEDDING}:batchEmbedContents`), BATCH, 'embeddings'],
  ];

  test('every endpoint serves its documented path and the paths of its base URLs', async () => {
    for (const [paths, body, field] of cases) await assertServed(paths, body, field);
  });

  test('mistyped paths of AI endpoints are served', async () => {
    await assertServed(
      ['/v1/v1/messages', '//v1/messages', '/v1/messages/', '/messages', '//messages/'],
      ANTHROPIC,
      'content',
    );
    await assertServed(
      [
        '/v1/v1/chat/completions',
        '/chat/completions/',
        '/v1//chat//completions',
        '/openai//v1/v1/chat/completions',
      ],
      CHAT,
      'choices',
    );
    await assertServed(['/responses', '/v1/v1/responses/'], RESPONSES, 'output');
    await assertServed(['/embeddings', '//embeddings'], EMBEDDINGS, 'data');
    const paths = ['/models', '/v1/models', '/v1/v1beta/models', '/v1beta//models'];
    const generate = paths.map((path) => `${path}/gemini-2.5-flash:generateContent`);
    await assertServed(generate, GEMINI, 'candidates');
  });

  test('a query is kept when a path is corrected', async () => {
    const path = `/v1/v1beta/${FLASH}:streamGenerateContent/?alt=sse`;
    const { status, headers } = await send('POST', path, GEMINI);
    assert.equal(status, 200);
    assert.match(headers['content-type'] ?? '', /^text\/event-stream/);
  });

  function gemini(action: string): readonly string[] {
    return ['/v1beta', '/v1', '/v1alpha', '/gemini/v1beta', '/gemini/v1', '/gemini', ''].map(
      (base) => `${base}/${action}`,
    );
  }

  async function assertServed(
    paths: readonly string[],
    body: object,
    field: string,
  ): Promise<void> {
    for (const path of paths) {
      const answer = await send('POST', path, body);
      assert.equal(answer.status, 200, `${path}: ${answer.body}`);
      assert.ok(field in Object(JSON.parse(answer.body)), path);
    }
  }
});

describe('unserved paths', () => {
  test("an unserved path is 404 in the vendor's format and names the path and the page", async () => {
    const version = { 'anthropic-version': '2023-06-01' };
    for (const [path, headers, type] of [
      ['/v1/files', {}, 'openai'],
      ['/v1/audio/speech', {}, 'openai'],
      ['/openai/v1/assistants', {}, 'openai'],
      ['/v1/v1/nothing', {}, 'openai'],
      ['/v1/files', version, 'anthropic'],
      ['/v1/messages/batches', {}, 'anthropic'],
      ['/anthropic/v1/organizations', {}, 'anthropic'],
      ['/v1beta/cachedContents', {}, 'gemini'],
      [`/v1beta/${FLASH}:predict`, {}, 'gemini'],
      ['/gemini/nothing', {}, 'gemini'],
      ['/nothing', {}, 'spillway'],
      ['/v1/jobs/j-1/nothing', {}, 'spillway'],
    ] as const) {
      const answer = await send('POST', path, CHAT, headers);
      assert.equal(answer.status, 404, path);
      assert.equal(answer.headers['x-spillway-code'], 'NOT_FOUND');
      assert.equal(formatOf(answer), type, path);
      const { message } = errorOf(answer);
      assert.ok(String(message).includes(path), String(message));
      assert.match(String(message), /docs\/endpoints\.md/);
    }
  });

  test('a path with tricks is refused and never reaches another endpoint', async () => {
    for (const path of [
      '//admin/orgs',
      '/v1/../admin/orgs',
      '/v1/v1/../../admin/orgs',
      '/anthropic//admin/orgs',
      '//metrics',
      '/metrics/',
      '//evil.example/v1/messages',
      'http://evil.example/v1/messages',
      '/v1/%6dessages',
    ]) {
      const admin = { authorization: `Bearer ${gateway.adminKey}` };
      const answer = await send('GET', path, undefined, admin);
      assert.equal(answer.status, 404, path);
      assert.equal(answer.headers.location, undefined);
    }
  });

  test('a hostile path is not repeated in the answer', async () => {
    for (const path of ['/v1/%3Cscript%3E', `/v1/${'x'.repeat(5000)}`]) {
      const answer = await send('GET', path);
      assert.equal(answer.status, 404);
      assert.ok(answer.body.length < 1000);
      assert.doesNotMatch(answer.body, /script|xxx/);
    }
  });

  test('a body of any type and size is not read before the path is refused', async () => {
    const answer = await send(
      'POST',
      '/v1/audio/transcriptions',
      { file: 'x'.repeat(1_000_000) },
      {
        'content-type': 'multipart/form-data; boundary=b',
      },
    );
    assert.equal(answer.status, 404);
    assert.equal(formatOf(answer), 'openai');
  });

  test("each vendor's SDK raises its NotFound error with the sentence", async () => {
    const apiKey = gateway.apiKey;
    const openai = new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const anthropic = new Anthropic({ apiKey, baseURL: gateway.url, maxRetries: 0 });
    const google = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } });
    await assert.rejects(openai.files.list(), (error) => {
      assert.ok(error instanceof OpenAI.NotFoundError);
      assert.match(error.message, /\/v1\/files.*docs\/endpoints\.md/);
      return true;
    });
    await assert.rejects(anthropic.messages.batches.list(), (error) => {
      assert.ok(error instanceof Anthropic.NotFoundError);
      assert.match(error.message, /\/v1\/messages\/batches.*docs\/endpoints\.md/);
      return true;
    });
    await assert.rejects(google.caches.get({ name: 'cachedContents/c' }), (error) => {
      assert.ok(error instanceof GoogleError);
      assert.equal(error.status, 404);
      assert.match(error.message, /\/v1beta\/cachedContents\/c.*docs\/endpoints\.md/);
      return true;
    });
  });

  function formatOf(answer: RawAnswer): string {
    const body = Object(JSON.parse(answer.body));
    if (body.type === 'error') return 'anthropic';
    if (Array.isArray(body.error.details)) return 'gemini';
    return 'param' in body.error ? 'openai' : 'spillway';
  }
});
