// A server that shuts down while callers keep connections open: one more request on such a connection is
// answered, together with Connection: close.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request as openRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { messageBody } from '../../support/gateway/call-rig.ts';
import { startTestGateway } from '../../support/gateway/test-gateway.ts';

test('a request on an existing connection is answered during shutdown', async (context) => {
  const gateway = await startTestGateway();
  let closing: Promise<void> | undefined;
  context.after(() => closing ?? gateway.close());
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  context.after(() => agent.destroy());
  const { url, apiKey } = gateway;

  const before = await call(agent, url, apiKey);
  closing = gateway.close();
  const after = await call(agent, url, apiKey);
  // The same connection: the request was not redirected.
  const { port } = before;
  assert.deepEqual(before, { status: 200, connection: 'keep-alive', port });
  assert.deepEqual(after, { status: 200, connection: 'close', port });
  await closing;
});

test('a connection that was accepted before the listener closed gets its first request answered', async (context) => {
  const gateway = await startTestGateway();
  const { hostname, port } = new URL(gateway.url);
  const accepted = connect(Number(port), hostname);
  await once(accepted, 'connect');
  const closing = gateway.close();
  context.after(() => closing);
  while (await isListening(Number(port), hostname));
  const body = JSON.stringify(messageBody());
  accepted.write(
    `POST /v1/messages HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${gateway.apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  assert.match(await text(accepted), /^HTTP\/1\.1 200 OK\r\n/);
});

/** A connection that the server accepts is closed at once. */
function isListening(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function call(agent: Agent, url: string, apiKey: string) {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const request = openRequest(`${url}/v1/messages`, { method: 'POST', agent, headers });
  request.end(JSON.stringify(messageBody()));
  const [response]: IncomingMessage[] = await once(request, 'response');
  assert.ok(response);
  const { localPort: port } = response.socket;
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode, connection: response.headers.connection, port };
}
