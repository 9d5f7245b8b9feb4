// Names and nesting that callers choose are bounded before a log, a metric, a cache or a parser sees them.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { WRAPPED_PREFIX } from '../../../src/translation/signature.ts';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';
import { textAt } from '../../support/response-fields.ts';
import { assertRefusal, type Refusal, readRefusal } from './refusal.ts';

const MESSAGES = [{ role: 'user', content: 'Hello' }];
const EVERY_MODEL_PRICED = 'prices: { fallback: { inputUsd: 1, outputUsd: 2 } }\n';

suite('model names and JSON depth', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({}, () => SINGLE_ATTEMPTS + EVERY_MODEL_PRICED);
  });
  after(() => gateway.close());

  async function send(path: string, body: string, key = gateway.apiKey): Promise<Refusal> {
    const response = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    });
    return readRefusal(response);
  }

  async function metrics(): Promise<string> {
    const response = await fetch(`${gateway.url}/metrics`, {
      headers: { authorization: `Bearer ${gateway.adminKey}` },
    });
    return response.text();
  }

  test('a model name over 256 bytes is refused with INVALID_REQUEST and no provider is called', async () => {
    gateway.simulator.clearLog();
    for (const model of [`claude-${'x'.repeat(250)}`, `claude-${'é'.repeat(125)}`]) {
      assert.ok(Buffer.byteLength(model) > 256);
      for (const path of [
        '/v1/messages',
        '/v1/chat/completions',
        '/v1/responses',
        '/v1/embeddings',
      ]) {
        const answer = await send(path, JSON.stringify({ model, messages: MESSAGES }));
        assertRefusal(path, answer, 400, 'INVALID_REQUEST');
        assert.equal(textAt(answer.json, 'error', 'params', 'problem'), 'too_long');
      }
      const job = await send('/v1/jobs', JSON.stringify({ model, prompt: 'Hello' }));
      assertRefusal('', job, 400, 'INVALID_REQUEST');
    }
    assert.equal(gateway.simulator.log().length, 0);
  });

  test('a model name of megabytes is refused and appears in no metric', async () => {
    const name = `claude-${'x'.repeat(4_000_000)}`;
    for (const model of [name, `openai/${name}`, name.replace('x', '\u0001')])
      assertRefusal(
        '/v1/messages',
        await send('/v1/messages', JSON.stringify({ model, messages: MESSAGES })),
        400,
        'INVALID_REQUEST',
      );
    assert.ok((await metrics()).length < 200_000);
  });

  test('a model name of 256 bytes is served', async () => {
    const model = `claude-${'x'.repeat(249)}`;
    const body = JSON.stringify({ model, max_tokens: 5, messages: MESSAGES });
    assert.equal((await send('/v1/messages', body)).status, 200);
  });

  test('models without a configuration share the metric label other', async () => {
    for (let number = 0; number < 20; number += 1) {
      const body = { model: `gpt-invented-${number}x`, messages: MESSAGES };
      assert.equal((await send('/v1/chat/completions', JSON.stringify(body))).status, 200);
    }
    const known = { model: 'gpt-5-mini', messages: MESSAGES };
    assert.equal((await send('/v1/chat/completions', JSON.stringify(known))).status, 200);
    const text = await metrics();
    assert.ok(!text.includes('gpt-invented'), 'an invented name is a label');
    assert.match(text, /ai_request_count[^\n]*model="other"[^\n]*code="OK"/);
    assert.match(text, /ai_request_count[^\n]*model="gpt-5-mini"/);
  });

  test('JSON that is nested too deeply is refused before it is parsed, at every route with a body', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const { apiKey, adminKey } = gateway;
    gateway.simulator.clearLog();
    for (const [path, key, body] of [
      ['/v1/messages', apiKey, `{"model":"claude-sonnet-4-5","a":${deep}}`],
      ['/v1/messages', apiKey, `{"model":"claude-sonnet-4-5","a":${'['.repeat(3_500_000)}`],
      ['/v1/chat/completions', apiKey, `{"model":"gpt-5-mini","a":${'{"b":'.repeat(300)}`],
      ['/v1beta/models/gemini-2.5-flash:generateContent', apiKey, `{"contents":${deep}}`],
      ['/v1/jobs', apiKey, `{"model":"gpt-5-mini","request":{"a":${deep}}}`],
      ['/v1/builds/b1/events', apiKey, deep],
      ['/admin/orgs', adminKey, `{"id":"x","messages":${deep}}`],
    ] as const) {
      const answer = await send(path, body, key);
      assertRefusal(path, answer, 400, 'INVALID_REQUEST');
      assert.ok(answer.body.includes('too_deep'), `${path}: ${answer.body}`);
    }
    assert.equal(gateway.simulator.log().length, 0);
  });

  test('a body with megabytes of numbers, empty values or short texts is refused before it is parsed, at every route with a body', async () => {
    const { apiKey } = gateway;
    gateway.simulator.clearLog();
    for (const unit of ['1,', '{},', '"",', ' '])
      for (const [path, before, after] of [
        ['/v1/messages', '{"model":"claude-sonnet-4-5","max_tokens":5,"a":', '}'],
        // Several fields share one bound.
        ['/v1/chat/completions', '{"model":"gpt-5-mini","b":[1,2],"a":', '}'],
        ['/v1beta/models/gemini-2.5-flash:generateContent', '{"contents":', '}'],
        ['/v1/jobs', '{"model":"gpt-5-mini","request":{"a":', '}}'],
      ] as const) {
        const list = `[${unit.repeat(Math.ceil(5_000_000 / unit.length))}1]`;
        const answer = await send(path, before + list + after, apiKey);
        assertRefusal(path, answer, 413, 'REQUEST_TOO_LARGE');
      }
    assert.equal(gateway.simulator.log().length, 0);
  });

  test('a body with hundreds of thousands of fields or objects is refused before it is parsed', async () => {
    const fields = Array.from({ length: 150_000 }, (_, index) => `"k${index}":0`).join();
    const { apiKey, adminKey } = gateway;
    for (const inner of [`{${fields}}`, `[${'{},'.repeat(150_000)}1]`])
      for (const [path, key, body] of [
        ['/v1/jobs', apiKey, `{"model":"gpt-5-mini","request":{"a":${inner}}}`],
        ['/v1/builds/b1/events', apiKey, `{"type":"step","data":${inner}}`],
        ['/api/chat', apiKey, `{"message":"Hello","context":${inner}}`],
        ['/admin/orgs', adminKey, `{"id":"x","messages":${inner}}`],
      ] as const)
        assertRefusal('', await send(path, body, key), 413, 'REQUEST_TOO_LARGE');
  });

  test('a nested body with a mark of foreign thoughts is refused before it is parsed', async () => {
    const deep = '['.repeat(3_500_000);
    const body = `{"model":"claude-sonnet-4-5","thought":"${WRAPPED_PREFIX}","a":${deep}`;
    const answer = await send('/v1/messages', body);
    assertRefusal('/v1/messages', answer, 400, 'INVALID_REQUEST');
    assert.ok(answer.body.includes('too_deep'), answer.body);
  });

  test('an embedding of 300,000 token ids and a text of megabytes pass', async () => {
    const input = Array.from({ length: 300_000 }, (_, index) => 100_000 + (index % 90_000));
    const embedding = JSON.stringify({ model: 'text-embedding-3-small', input });
    assert.equal((await send('/v1/embeddings', embedding)).status, 200);
    const messages = [{ role: 'user', content: 'A "text" of \\ many lines\n'.repeat(200_000) }];
    const chat = JSON.stringify({ model: 'gpt-5-mini', max_tokens: 5, messages });
    assert.equal((await send('/v1/chat/completions', chat)).status, 200);
  });

  test('tool schemas of ordinary depth pass', async () => {
    const schema = `${'{"type":"object","properties":{"a":'.repeat(40)}{}${'}}'.repeat(40)}`;
    const tools = `[{"name":"t","input_schema":${schema}}]`;
    const body = `{"model":"claude-sonnet-4-5","max_tokens":5,"messages":${JSON.stringify(MESSAGES)},"tools":${tools}}`;
    assert.equal((await send('/v1/messages', body)).status, 200);
  });
});
