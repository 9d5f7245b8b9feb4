// Pipelined HTTP/1.1 requests. Answers keep the order of requests, so a stream may be ready long before its
// turn: back-pressure pauses it until then. The requests that wait on one connection are bounded.

import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { type Caller, chatAsk, messageBody } from '../../support/gateway/call-rig.ts';
import { startTestGateway } from '../../support/gateway/test-gateway.ts';

test('a large stream behind a slow answer is complete when its turn comes', async (context) => {
  const gateway = await startTestGateway();
  context.after(() => gateway.close());
  // The slow request is answered after the provider has sent far more of the stream than may be buffered.
  gateway.simulator.setScenario([
    { provider: 'openai', latencyMs: 700 },
    { provider: 'anthropic', outputTokens: 60_000, chunks: 6000 },
  ]);
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  context.after(() => socket.destroy());
  const { path = '', body } = chatAsk();
  socket.write(requestText(gateway, path, body));
  const long = { ...messageBody({ stream: true }), max_tokens: 60_000 };
  socket.write(requestText(gateway, '/v1/messages', long));
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.endsWith('\r\n0\r\n\r\n')) break;
  }
  assert.match(text, /^HTTP\/1\.1 200 OK\r\n[^]*"chat\.completion"[^]*HTTP\/1\.1 200 OK\r\n/);
  assert.ok(text.length > 300_000, `${text.length}`);
  assert.match(text.slice(-300), /event: message_stop\n/);
});

test('a connection with hundreds of waiting requests is closed, and one with a few gets all answers', async (context) => {
  const gateway = await startTestGateway();
  context.after(() => gateway.close());
  for (const [count, isServed] of [
    [30, true],
    [1500, false],
  ] as const) {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    context.after(() => socket.destroy());
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
      if (text.split('HTTP/1.1 200').length > count) socket.end();
    });
    const closed = once(socket, 'close');
    socket.write('GET /health HTTP/1.1\r\nhost: spillway\r\n\r\n'.repeat(count));
    await closed;
    assert.equal(text.split('HTTP/1.1 200').length - 1 === count, isServed);
  }
});

test('the rest of a read is not parsed once its connection is closed', async (context) => {
  const gateway = await startTestGateway();
  context.after(() => gateway.close());
  for (const head of [
    'GET /health HTTP/1.1\r\nhost: spillway\r\n\r\n',
    'GET /health HTTP/1.1\r\n\r\n',
  ]) {
    let parsed = 0;
    const count = (): void => void (parsed += 1);
    subscribe('http.server.request.start', count);
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    const closed = once(socket, 'close');
    socket.write(head.repeat(1500));
    await closed;
    unsubscribe('http.server.request.start', count);
    assert.ok(parsed >= 1 && parsed < 100, `${parsed} requests of ${JSON.stringify(head)}`);
  }
});

test('a request without a Host header is INVALID_REQUEST, and one of HTTP/1.0 needs none', async (context) => {
  const gateway = await startTestGateway();
  context.after(() => gateway.close());
  for (const [version, pattern] of [
    ['1.1', /^HTTP\/1\.1 400 [^]*connection: close[^]*INVALID_REQUEST/i],
    ['1.0', /^HTTP\/1\.1 200 /],
  ] as const) {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    context.after(() => socket.destroy());
    socket.write(`GET /health HTTP/${version}\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    assert.match(text, pattern);
  }
});

test('an unknown expectation is ignored', async (context) => {
  const gateway = await startTestGateway();
  context.after(() => gateway.close());
  const { path = '', body } = chatAsk();
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  context.after(() => socket.destroy());
  socket.write(requestText(gateway, path, body).replace('\r\n', '\r\nexpect: 200-ok\r\n'));
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 200 /);
});

test('a request with two Host headers is refused at every endpoint', async (context) => {
  const gateway = await startTestGateway();
  context.after(() => gateway.close());
  const { path = '', body } = chatAsk();
  for (const target of [path, '/dashboard/session']) {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    context.after(() => socket.destroy());
    socket.write(requestText(gateway, target, body).replace('\r\n', '\r\nHost: evil.example\r\n'));
    const [answer] = await once(socket, 'data');
    assert.match(
      String(answer),
      /^HTTP\/1\.1 400 [^]*INVALID_REQUEST|^HTTP\/1\.1 400 [^]*invalid_request/,
    );
  }
  assert.equal(gateway.simulator.log().length, 0);
});

function requestText({ apiKey }: Caller, path: string, body: unknown): string {
  const text = JSON.stringify(body);
  return [
    `POST ${path} HTTP/1.1`,
    'host: spillway',
    `x-api-key: ${apiKey}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
    '',
    text,
  ].join('\r\n');
}
