// Callers who send what they should not: each gets a clear error in the format of the endpoint it came to, no
// provider is asked, and the server goes on serving.

import assert from 'node:assert/strict';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, afterEach, before, suite, test } from 'node:test';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const LIMIT_BYTES = 32 * 1024 * 1024;
const GEMINI = '/v1beta/models/gemini-2.5-flash:generateContent';
const MESSAGES = [{ role: 'user', content: 'Hello' }];

type Answer = { status: number; headers: Headers; body: string; json: unknown };

suite('hostile calls', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());
  afterEach(async () => {
    const body = JSON.stringify({ model: 'claude-sonnet-5-5', max_tokens: 5, messages: MESSAGES });
    gateway.simulator.clearLog();
    assert.equal((await send('/v1/messages', body)).status, 200, 'the server goes on');
  });

  async function send(
    path: string,
    body: string | Buffer | undefined,
    headers: Record<string, string> = {},
    method = 'POST',
  ): Promise<Answer> {
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
    const answer = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: answer,
      json: parse(answer),
    };
  }

  function assertRefused(path: string, answer: Answer, status: number, code: string): void {
    assert.equal(answer.status, status, answer.body);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    assert.match(answer.headers.get('x-request-id') ?? '', /^req_/);
    assert.ok(answer.body.includes(code), answer.body);
    assertShape(path, answer.json, status);
    assert.equal(gateway.simulator.log().length, 0, 'no provider was asked');
  }

  const PATHS = ['/v1/messages', '/v1/chat/completions', GEMINI];

  test('bodies that are no JSON object are refused in the format of the endpoint', async () => {
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

  test('bad UTF-8 where a field is read names no model and crashes nothing', async () => {
    for (const path of ['/v1/messages', '/v1/chat/completions']) {
      gateway.simulator.clearLog();
      const body = Buffer.concat([
        Buffer.from('{"model":"'),
        Buffer.from([0xff, 0xc3, 0x28]),
        Buffer.from('"}'),
      ]);
      assertRefused(path, await send(path, body), 400, 'INVALID_REQUEST');
    }
  });

  test('nesting without end exhausts nothing: it is passed over, or refused where it is not closed', async () => {
    const deep = '['.repeat(200_000);
    for (const path of PATHS) {
      gateway.simulator.clearLog();
      assertRefused(path, await send(path, `{"a":${deep}`), 400, 'INVALID_REQUEST');
      const model = path.includes('chat') ? 'gpt-5-mini' : 'claude-sonnet-5-5';
      const body = `{"model":"${model}","a":${deep}${']'.repeat(200_000)}}`;
      const answer = await send(path, body);
      assert.ok(answer.status < 500, answer.body);
    }
  });

  test('a model named twice is refused, so that nobody reads another one than we do', async () => {
    for (const path of ['/v1/messages', '/v1/chat/completions']) {
      gateway.simulator.clearLog();
      const body = '{"model":"gpt-5-mini","messages":[],"mod\\u0065l":"claude-sonnet-5-5"}';
      assertRefused(path, await send(path, body), 400, 'INVALID_REQUEST');
    }
  });

  test('names from the prototype are no models', async () => {
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
      assertRefused('/v1/chat/completions', answer, 400, 'INVALID_REQUEST');
    }
    for (const model of ['1', 'null', '{}', '[]', 'true']) {
      gateway.simulator.clearLog();
      const answer = await send('/v1/messages', `{"model":${model}}`);
      assertRefused('/v1/messages', answer, 400, 'INVALID_REQUEST');
    }
  });

  test('prototype keys in a body pass through as bytes and change nothing', async () => {
    const body = `{"__proto__":{"model":"x"},"constructor":{"prototype":{}},"model":"gpt-5-mini","messages":${JSON.stringify(MESSAGES)}}`;
    assert.equal((await send('/v1/chat/completions', body)).status, 200);
    assert.equal(Reflect.get({}, 'model'), undefined);
  });

  test('a body announced as too large is refused unread, with the limit, and the connection ends', async () => {
    for (const path of PATHS) {
      gateway.simulator.clearLog();
      const answer = await announce(path, LIMIT_BYTES + 1);
      assert.equal(answer.headers.get('connection'), 'close');
      assertRefused(path, answer, 413, 'REQUEST_TOO_LARGE');
      assert.ok(answer.body.includes(String(LIMIT_BYTES)), answer.body);
    }
  });

  test('a body that turns out too large is refused at the limit', async () => {
    gateway.simulator.clearLog();
    const answer = await pour('/v1/messages', LIMIT_BYTES + 1);
    assertRefused('/v1/messages', answer, 413, 'REQUEST_TOO_LARGE');
    assert.equal(answer.headers.get('connection'), 'close');
  });

  test('no key, a wrong key and a malformed one are refused before the body is looked at', async () => {
    for (const path of PATHS) {
      for (const authorization of [
        'Bearer not-a-key-of-anybody',
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

  test('a key in the query is a credential for Gemini alone, and is not shown again', async () => {
    const query = `?key=${gateway.apiKey}`;
    const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] });
    const withoutHeader = async (path: string, content: string): Promise<Answer> => {
      const response = await fetch(gateway.url + path, { method: 'POST', body: content });
      const answer = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: answer,
        json: parse(answer),
      };
    };
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

  test('a credential header that is there but wrong is not made good by another', async () => {
    gateway.simulator.clearLog();
    const answer = await send('/v1/messages', '{}', {
      authorization: 'Bearer wrong',
      'x-api-key': gateway.apiKey,
    });
    assertRefused('/v1/messages', answer, 401, 'UNAUTHORIZED');
  });

  test('content types are not what decides: bytes that are JSON are served', async () => {
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

  test('unknown routes and methods are answered in our own format', async () => {
    for (const [method, path] of [
      ['GET', '/v1/messages'],
      ['PUT', '/v1/chat/completions'],
      ['DELETE', GEMINI],
      ['POST', '/v1/messages/'],
      ['POST', '/v1/nothing'],
      ['POST', '/v1/%6dessages'],
      ['POST', '/v1beta/models/..%2f..%2fsecret:generateContent'],
      ['POST', '/v1beta/models/m:unknownAction'],
      ['PATCH', '/'],
    ] as const) {
      gateway.simulator.clearLog();
      const answer = await send(path, method === 'GET' ? undefined : '{}', {}, method);
      assertRefused('', answer, 404, 'NOT_FOUND');
    }
  });

  test('requests that are not HTTP as it should be end their connection and no other', async () => {
    const head = `POST /v1/messages HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.apiKey}\r\n`;
    for (const bytes of [
      'garbage\r\n\r\n',
      `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${head}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`,
      `${head}content-length: -1\r\n\r\n`,
      `${head}transfer-encoding: chunked\r\n\r\nzz\r\n`,
      `${head}x-bad\u0000name: 1\r\n\r\n`,
      `${head}x-long: ${'a'.repeat(100_000)}\r\n\r\n`,
      'POST /v1/messages HTTP/1.1\r\n\r\n',
    ]) {
      gateway.simulator.clearLog();
      const answer = await raw(bytes);
      assert.match(answer, /^$|^HTTP\/1\.1 4\d\d /, JSON.stringify(bytes.slice(0, 200)));
      // Only Node itself, who wants a host, answers without a body.
      if (answer.includes('{')) assert.match(answer, /x-request-id: req_[^]*"code":"[A-Z_]+"/);
      assert.equal(gateway.simulator.log().length, 0);
    }
  });

  test('a caller who leaves in the middle of its body leaves nothing behind', async () => {
    gateway.simulator.clearLog();
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.on('error', () => {});
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    const head = `POST /v1/messages HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.apiKey}\r\ncontent-length: 500\r\n\r\n{"model":`;
    await new Promise<void>((resolve) => socket.write(head, () => resolve()));
    socket.destroy();
    await new Promise<void>((resolve) => socket.once('close', () => resolve()));
    assert.equal(gateway.simulator.log().length, 0);
  });

  /** Says how large the body is, and waits for the answer before sending any of it. */
  function announce(path: string, bytes: number): Promise<Answer> {
    const request = httpRequest(gateway.url + path, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-length': bytes },
    });
    request.flushHeaders();
    return answerTo(request).finally(() => request.destroy());
  }

  /** A body without a length; no byte is on its way when the answer comes, so that none can reset the connection. */
  function pour(path: string, bytes: number): Promise<Answer> {
    const request = httpRequest(gateway.url + path, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'transfer-encoding': 'chunked' },
    });
    const piece = Buffer.alloc(1024 * 1024, ' ');
    for (let left = bytes; left > 0; left -= piece.length)
      request.write(piece.subarray(0, Math.min(left, piece.length)));
    return answerTo(request).finally(() => request.destroy());
  }

  /** Whatever is sent, all that comes back until the connection ends. */
  async function raw(bytes: string): Promise<string> {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    // A server that closes with bytes unread resets the connection, and the answer may be lost with it.
    socket.on('error', () => {});
    socket.end(bytes, 'latin1');
    await new Promise<void>((resolve) => socket.once('close', () => resolve()));
    return answer;
  }
});

async function answerTo(request: ClientRequest): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  const body = await text(response);
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value));
  return { status: response.statusCode ?? 0, headers, body, json: parse(body) };
}

/** What each provider's SDK looks for in an error. */
function assertShape(path: string, body: unknown, status: number): void {
  const error = fieldOf(body, 'error');
  assert.equal(typeof fieldOf(error, 'message'), 'string');
  if (path.includes('messages')) {
    assert.equal(fieldOf(body, 'type'), 'error');
    assert.match(String(fieldOf(error, 'type')), /_error$|^request_too_large$/);
  } else if (path.includes('chat')) {
    assert.equal(typeof fieldOf(error, 'type'), 'string');
    assert.equal(typeof fieldOf(error, 'code'), 'string');
  } else if (path.includes('generateContent')) {
    assert.equal(fieldOf(error, 'code'), status);
    assert.match(String(fieldOf(error, 'status')), /^[A-Z_]+$/);
  } else {
    assert.equal(typeof fieldOf(error, 'code'), 'string');
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
