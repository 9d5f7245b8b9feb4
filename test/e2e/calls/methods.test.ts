// The methods of a running gateway's paths, and handshakes for other protocols.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';
import { errorOf, rawSender, type SendRaw } from './raw-request.ts';

let gateway: TestGateway;
let send: SendRaw;

before(async () => {
  gateway = await startTestGateway();
  send = rawSender(gateway);
});

after(async () => {
  await gateway.close();
});

const FLASH = 'models/gemini-2.5-flash';
const ANTHROPIC = {
  model: 'claude-sonnet-4-5',
  max_tokens: 20,
  messages: [{ role: 'user', content: 'Hello' }],
};

describe('methods', () => {
  test('a wrong method is 405 with the methods of the path', async () => {
    for (const [method, path, allow] of [
      ['GET', '/v1/messages', 'POST, OPTIONS'],
      ['PUT', '/v1/chat/completions', 'POST, OPTIONS'],
      ['GET', '/v1/responses', 'POST, OPTIONS'],
      ['DELETE', `/v1beta/${FLASH}:generateContent`, 'POST, OPTIONS'],
      ['GET', `/v1/${FLASH}:generateContent`, 'POST, OPTIONS'],
      ['POST', '/v1/models', 'GET, HEAD, OPTIONS'],
      ['DELETE', '/v1/models/gpt-5-mini', 'GET, HEAD, OPTIONS'],
      ['PATCH', '/health', 'GET, HEAD, OPTIONS'],
      ['PATCH', '/', 'GET, HEAD, OPTIONS'],
      ['PUT', '/v1/jobs', 'POST, GET, HEAD, OPTIONS'],
    ] as const) {
      const answer = await send(method, path, method === 'GET' ? undefined : {});
      assert.equal(answer.status, 405, path);
      assert.deepEqual(
        new Set(answer.headers.allow?.split(', ')),
        new Set(allow.split(', ')),
        path,
      );
      assert.equal(answer.headers['x-spillway-code'], 'INVALID_REQUEST');
      assert.match(String(errorOf(answer)['message']), /does not accept/);
    }
  });

  test("a wrong method has the vendor's format on AI paths and Spillway's elsewhere", async () => {
    const messages = Object(JSON.parse((await send('GET', '/v1/messages')).body));
    assert.deepEqual([messages.type, messages.error.type], ['error', 'invalid_request_error']);
    const chat = errorOf(await send('GET', '/v1/chat/completions'));
    assert.equal(chat['type'], 'invalid_request_error');
    const generate = errorOf(await send('GET', `/v1beta/${FLASH}:generateContent`));
    assert.deepEqual([generate['code'], generate['status']], [405, 'INVALID_ARGUMENT']);
    const jobs = errorOf(await send('PUT', '/v1/jobs', {}));
    assert.equal(jobs['code'], 'INVALID_REQUEST');
  });

  test('HEAD answers wherever GET does, without a body', async () => {
    for (const path of [
      '/',
      '/health',
      '/health/live',
      '/openapi.json',
      '/v1/models',
      '/v1/models/gpt-5-mini',
      '/v1beta/models',
      '/v1/jobs',
      '/v1/usage',
    ]) {
      const head = await send('HEAD', path);
      const got = await send('GET', path);
      assert.equal(head.status, got.status, path);
      assert.equal(head.headers['content-type'], got.headers['content-type'], path);
      assert.equal(head.body, '');
    }
    const missing = await send('HEAD', '/v1/models/nothing');
    assert.deepEqual([missing.status, missing.body], [404, '']);
    assert.equal((await send('HEAD', '/v1/messages')).status, 405);
  });

  test('OPTIONS lists the methods of a path, and a path without an endpoint has none', async () => {
    for (const [path, allow] of [
      ['/v1/messages', 'POST, OPTIONS'],
      ['/v1/models', 'GET, HEAD, OPTIONS'],
      ['/health', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const answer = await send('OPTIONS', path);
      assert.deepEqual([answer.status, answer.body], [204, ''], path);
      assert.deepEqual(new Set(answer.headers.allow?.split(', ')), new Set(allow.split(', ')));
      assert.equal(answer.headers['access-control-allow-origin'], undefined);
    }
    assert.equal((await send('OPTIONS', '/v1/nothing')).status, 404);
  });
});

describe('WebSocket handshakes', () => {
  test('a handshake is 426 at once and closes the connection, on every path', async () => {
    for (const path of ['/v1/responses', '/openai/v1/responses', '/v1/realtime', '/anything']) {
      const answer = await send('GET', path, undefined, {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      });
      assert.equal(answer.status, 426, path);
      assert.equal(answer.headers.connection, 'close');
      assert.match(String(errorOf(answer)['message']), /WebSocket/);
    }
  });

  test('an upgrade to another protocol is ignored, as RFC 9110 allows', async () => {
    const h2c = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABk',
    };
    assert.equal((await send('GET', '/v1/models', undefined, h2c)).status, 200);
    assert.equal((await send('POST', '/v1/messages', ANTHROPIC, h2c)).status, 200);
  });
});
