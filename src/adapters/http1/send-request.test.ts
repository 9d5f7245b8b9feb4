import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { createRequestSender } from './send-request.ts';

suite('sending requests', () => {
  const received: string[] = [];
  const server: Server = createServer((socket) => {
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk) => (text += chunk));
    socket.on('end', () => {
      received.push(text);
      socket.end();
    });
  });

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  const HEAD = 'POST / HTTP/1.1\r\n';
  const whole = (body: string) => `${HEAD}content-length: ${body.length}\r\n\r\n${body}`;

  /** Sends one request per body, each on a socket of its own, before any of them is connected. */
  async function sendAll(bodies: readonly (string | null)[], isSecure = false): Promise<string[]> {
    received.length = 0;
    const send = createRequestSender(isSecure);
    const { port } = server.address() as AddressInfo;
    const closed = bodies.map((body) => {
      const socket = connect(port, '127.0.0.1');
      send(socket, Buffer.from(HEAD), body === null ? null : Buffer.from(body, 'latin1'));
      socket.end();
      return once(socket.resume(), 'close');
    });
    await Promise.all(closed);
    return received.toSorted();
  }

  for (const isSecure of [false, true]) {
    const kind = isSecure ? 'that keep their bytes' : 'that are not connected yet';
    test(`requests on sockets ${kind} do not overwrite each other`, async () => {
      const bodies = ['a'.repeat(900), 'b'.repeat(1200), 'c'];
      const expected = bodies.map(whole).toSorted();
      assert.deepEqual(await sendAll(bodies, isSecure), expected);
    });
  }

  test('a request without a body is its head', async () => {
    assert.deepEqual(await sendAll([null]), [`${HEAD}\r\n`]);
  });

  test('a body larger than the buffer arrives whole, with every byte value', async () => {
    const bytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('');
    const body = bytes.repeat(100);
    assert.deepEqual(await sendAll([body]), [whole(body)]);
    assert.deepEqual(await sendAll([bytes]), [whole(bytes)]);
  });

  test('on a connected socket each request leaves with its own bytes', async () => {
    received.length = 0;
    const send = createRequestSender(false);
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    for (const body of ['one', 'two', 'three']) send(socket, Buffer.from(HEAD), Buffer.from(body));
    socket.end();
    await once(socket.resume(), 'close');
    assert.deepEqual(received, [['one', 'two', 'three'].map(whole).join('')]);
  });
});
