// Invalid input: each caller gets a clear error in the format of its endpoint, no provider is called, and the
// server stays available.

import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';
import { assertRefusal, type Refusal, readRefusal } from './refusal.ts';

const GEMINI = '/v1beta/models/gemini-2.5-flash:generateContent';
const MESSAGES = [{ role: 'user', content: 'Hello' }];

suite('invalid bodies, keys and routes', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());
  afterEach(async () => {
    const body = JSON.stringify({ model: 'claude-sonnet-5-5', max_tokens: 5, messages: MESSAGES });
    gateway.simulator.clearLog();
    assert.equal((await send('/v1/messages', body)).status, 200, 'the server stopped serving');
  });

  async function send(
    path: string,
    body: string | Buffer | undefined,
    headers: Record<string, string> = {},
    method = 'POST',
  ): Promise<Refusal> {
    const response = await fetch(gateway.url + path, {
      method,
      headers: {
        authorization: `Bearer ${gateway.apiKey}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    });
    return readRefusal(response);
  }

  function assertRefused(path: string, answer: Refusal, status: number, code: string): void {
    assertRefusal(path, answer, status, code);
    assert.equal(gateway.simulator.log().length, 0, 'a provider was called');
  }

  const PATHS = ['/v1/messages', '/v1/chat/completions', GEMINI];

  test("a body that is not a JSON object is rejected in the endpoint's format", async () => {
    for (const path of PATHS) {
      for (const body of [
        '',
        '{',
        '{"model":',
        '[]',
        'null',
        '"text"',
        '{"model":"x",}',
        '{}{}',
        '\u0000',
        '{"a":NaN}',
      ]) {
        gateway.simulator.clearLog();
        assertRefused(path, await send(path, body), 400, 'INVALID_REQUEST');
      }
    }
  });

  test('invalid UTF-8 in a field is rejected as an unknown model', async () => {
    for (const path of ['/v1/messages', '/v1/chat/completions']) {
      gateway.simulator.clearLog();
      const body = Buffer.concat([
        Buffer.from('{"model":"'),
        Buffer.from([0xff, 0xc3, 0x28]),
        Buffer.from('"}'),
      ]);
      assertRefused(path, await send(path, body), 404, 'INVALID_REQUEST');
    }
  });

  test('a duplicate model field is rejected, so that the provider cannot read another one', async () => {
    for (const path of ['/v1/messages', '/v1/chat/completions']) {
      gateway.simulator.clearLog();
      const body = '{"model":"gpt-5-mini","messages":[],"mod\\u0065l":"claude-sonnet-5-5"}';
      assertRefused(path, await send(path, body), 400, 'INVALID_REQUEST');
    }
  });

  test('names of prototype properties are not models', async () => {
    for (const model of [
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      '__proto__/x',
      'openai/',
      '/gpt-5',
      '',
    ]) {
      gateway.simulator.clearLog();
      const answer = await send(
        '/v1/chat/completions',
        JSON.stringify({ model, messages: MESSAGES }),
      );
      const status = model === '' ? 400 : 404;
      assertRefused('/v1/chat/completions', answer, status, 'INVALID_REQUEST');
    }
    for (const model of ['1', 'null', '{}', '[]', 'true']) {
      gateway.simulator.clearLog();
      const answer = await send('/v1/messages', `{"model":${model}}`);
      assertRefused('/v1/messages', answer, 400, 'INVALID_REQUEST');
    }
  });

  test('prototype keys in a body pass through as bytes without effect', async () => {
    const body = `{"__proto__":{"model":"x"},"constructor":{"prototype":{}},"model":"gpt-5-mini","messages":${JSON.stringify(MESSAGES)}}`;
    assert.equal((await send('/v1/chat/completions', body)).status, 200);
    assert.equal(Reflect.get({}, 'model'), undefined);
  });

  test('a missing, wrong or malformed key is rejected before the body is parsed', async () => {
    for (const path of PATHS) {
      for (const authorization of [
        'Bearer unknown-key',
        'Bearer ',
        'Basic abc',
        'x',
        `Bearer ${gateway.apiKey}x`,
        `Bearer ${gateway.adminKey.slice(1)}`,
      ]) {
        gateway.simulator.clearLog();
        assertRefused(path, await send(path, '{', { authorization }), 401, 'UNAUTHORIZED');
      }
    }
  });

  test('a key in the query authenticates only at Gemini endpoints and is not echoed', async () => {
    const query = `?key=${gateway.apiKey}`;
    const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] });
    const withoutHeader = async (path: string, content: string): Promise<Refusal> =>
      readRefusal(await fetch(gateway.url + path, { method: 'POST', body: content }));
    assert.equal((await withoutHeader(GEMINI + query, body)).status, 200);
    for (const path of ['/v1/messages', '/v1/chat/completions']) {
      gateway.simulator.clearLog();
      const answer = await withoutHeader(path + query, '{"model":"gpt-5-mini"}');
      assertRefused(path, answer, 401, 'UNAUTHORIZED');
      assert.ok(!answer.body.includes(gateway.apiKey));
    }
    gateway.simulator.clearLog();
    const failed = await withoutHeader(`${GEMINI}${query}`, '{');
    assertRefused(GEMINI, failed, 400, 'INVALID_REQUEST');
    assert.ok(!failed.body.includes(gateway.apiKey));
  });

  test('a valid key is accepted beside an invalid credential, and no valid one is UNAUTHORIZED', async () => {
    const body = JSON.stringify({ model: 'gpt-5-mini', messages: MESSAGES });
    const mixed = { authorization: 'Bearer wrong', 'x-api-key': gateway.apiKey };
    assert.equal((await send('/v1/chat/completions', body, mixed)).status, 200);
    gateway.simulator.clearLog();
    const wrong = { authorization: 'Bearer wrong', 'x-api-key': 'wrong too' };
    assertRefused('/v1/messages', await send('/v1/messages', '{}', wrong), 401, 'UNAUTHORIZED');
  });

  test('the content type does not matter: a JSON body is served', async () => {
    const body = JSON.stringify({ model: 'gpt-5-mini', messages: MESSAGES });
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'x',
    ])
      assert.equal(
        (await send('/v1/chat/completions', body, { 'content-type': type })).status,
        200,
      );
  });

  test('a path with an escaped fixed part is not served, and a path with an escaped id is served', async () => {
    const authorization = `Bearer ${gateway.adminKey}`;
    for (const path of ['/%61dmin/orgs', '/admin/%6frgs', '/%64ashboard/session', '/%76%31/usage'])
      assert.equal((await send(path, undefined, { authorization }, 'GET')).status, 404, path);
    for (const path of ['/admin/orgs/%64efault', '/admin/orgs?q=%64efault'])
      assert.equal((await send(path, undefined, { authorization }, 'GET')).status, 200, path);
  });

  test('a path that resembles an endpoint is refused and reaches no provider', async () => {
    for (const path of [
      '/v1/nothing',
      '/v1/%6dessages',
      '/v1beta/models/..%2f..%2fsecret:generateContent',
      '/v1beta/models/m:unknownAction',
    ]) {
      gateway.simulator.clearLog();
      assertRefused(path, await send(path, '{}'), 404, 'NOT_FOUND');
    }
  });
});
