// Oversized bodies, malformed HTTP and disconnects: the caller gets a clear error or a closed connection, no
// provider is called, and the server stays available.

import assert from 'node:assert/strict';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, afterEach, before, suite, test } from 'node:test';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';
import { assertRefusal, type Refusal, refusalOf } from './refusal.ts';

const LIMIT_BYTES = 32 * 1024 * 1024;
const GEMINI = '/v1beta/models/gemini-2.5-flash:generateContent';
const PATHS = ['/v1/messages', '/v1/chat/completions', GEMINI];

suite('oversized bodies and broken connections', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());
  afterEach(async () => {
    const messages = [{ role: 'user', content: 'Hello' }];
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.apiKey}` },
      body: JSON.stringify({ model: 'claude-sonnet-5-5', max_tokens: 5, messages }),
    });
    await response.text();
    assert.equal(response.status, 200, 'the server stopped serving');
  });

  function assertRefused(path: string, answer: Refusal, status: number, code: string): void {
    assertRefusal(path, answer, status, code);
    assert.equal(gateway.simulator.log().length, 0, 'a provider was called');
  }

  test('a body with an excessive Content-Length is rejected unread, with the limit, and the connection closes', async () => {
    for (const path of PATHS) {
      gateway.simulator.clearLog();
      const answer = await announce(path, LIMIT_BYTES + 1);
      assert.equal(answer.headers.get('connection'), 'close');
      assertRefused(path, answer, 413, 'REQUEST_TOO_LARGE');
      assert.ok(answer.body.includes(String(LIMIT_BYTES)), answer.body);
    }
  });

  test('a chunked body is rejected at the limit', async () => {
    gateway.simulator.clearLog();
    const answer = await sendChunked('/v1/messages', LIMIT_BYTES + 1);
    assertRefused('/v1/messages', answer, 413, 'REQUEST_TOO_LARGE');
    assert.equal(answer.headers.get('connection'), 'close');
  });

  test('malformed HTTP closes its own connection and no other', async () => {
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
      // Only Node's own check for a Host header answers without a body.
      if (answer.includes('{')) assert.match(answer, /x-request-id: req_[^]*"code":"[A-Z_]+"/);
      assert.equal(gateway.simulator.log().length, 0);
    }
  });

  test('a disconnect in the middle of the body leaks nothing', async () => {
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

  /** Announces the size of the body and waits for the answer before sending any of it. */
  function announce(path: string, bytes: number): Promise<Refusal> {
    const request = httpRequest(gateway.url + path, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-length': bytes },
    });
    request.flushHeaders();
    return answerTo(request).finally(() => request.destroy());
  }

  /**
   * A body without a length; no byte is in flight when the answer comes, so that none can reset the
   * connection.
   */
  function sendChunked(path: string, bytes: number): Promise<Refusal> {
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

  /** Sends the bytes and returns everything received until the connection closes. */
  async function raw(bytes: string): Promise<string> {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    // A server that closes with unread bytes resets the connection, and the answer may be lost.
    socket.on('error', () => {});
    socket.end(bytes, 'latin1');
    await new Promise<void>((resolve) => socket.once('close', () => resolve()));
    return answer;
  }
});

async function answerTo(request: ClientRequest): Promise<Refusal> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  const body = await text(response);
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value));
  return refusalOf(response.statusCode ?? 0, headers, body);
}
