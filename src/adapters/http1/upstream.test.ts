import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, suite, test } from 'node:test';
import { TLSSocket } from 'node:tls';
import { upstreamContract } from '../../../test/contract/upstream.ts';
import { LOCALHOST_CERTIFICATE } from '../../../test/support/localhost-certificate.ts';
import {
  OK,
  onRequests,
  type RawServer,
  type Respond,
  startRawServer,
  startSecureServer,
  startSocketServer,
} from '../../../test/support/upstream/raw-server.ts';
import { requestTo, send } from '../../../test/support/upstream/request.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Upstream, UpstreamCall } from '../../upstream/upstream.ts';
import { createHttp1Upstream, type Http1UpstreamOptions } from './upstream.ts';

const OPTIONS: Http1UpstreamOptions = {
  connectTimeoutMs: 5000,
  maxConnectionsPerOrigin: 10,
  clock: systemClock,
};

upstreamContract('http1', { open: (options) => createHttp1Upstream({ ...OPTIONS, ...options }) });

suite('connections of http1', () => {
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });

  function open(options: Partial<Http1UpstreamOptions> = {}): Upstream {
    const upstream = createHttp1Upstream({ ...OPTIONS, ...options });
    opened.push(upstream);
    return upstream;
  }

  async function started(starting: Promise<RawServer>): Promise<RawServer> {
    const server = await starting;
    opened.unshift(server);
    return server;
  }

  const serve = (respond: Respond): Promise<RawServer> => started(startRawServer(respond));

  test('a new connection is opened only when all others are busy', async () => {
    const { origin, sockets } = await serve((socket) => socket.write(OK));
    const upstream = open();
    for (let turn = 0; turn < 5; turn += 1) await send(upstream, origin);
    assert.equal(sockets.size, 1);
    await Promise.all([send(upstream, origin), send(upstream, origin)]);
    assert.equal(sockets.size, 2);
  });

  for (const [what, response] of [
    ['announces its close', `${OK.slice(0, 17)}connection: close\r\n${OK.slice(17)}`],
    ['is kept for a second only', `${OK.slice(0, 17)}keep-alive: timeout=1\r\n${OK.slice(17)}`],
    ['delivers unsolicited bytes', `${OK}${OK}`],
    ['speaks HTTP/1.0', OK.replace('1.1', '1.0')],
    [
      'states two lengths of one body',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    ],
  ] as const) {
    test(`a connection that ${what} is not reused`, async () => {
      const { origin, sockets } = await serve((socket) => socket.write(response));
      const upstream = open();
      for (let turn = 0; turn < 3; turn += 1) {
        assert.deepEqual(await send(upstream, origin), { status: 200, body: 'ok' });
      }
      assert.equal(sockets.size, 3);
    });
  }

  test('an unsolicited 100 Continue is skipped', async () => {
    const { origin } = await serve((socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${OK}`));
    assert.deepEqual(await send(open(), origin), { status: 200, body: 'ok' });
  });

  test('an idle connection that the server closes or writes to fails no request', async () => {
    const sockets: Socket[] = [];
    const { origin } = await serve((socket) => {
      sockets.push(socket);
      socket.write(OK);
    });
    const upstream = open();
    await send(upstream, origin);
    sockets[0]?.end();
    await once(sockets[0] ?? assert.fail('no connection'), 'close');
    await send(upstream, origin);
    sockets[1]?.write(OK);
    await once(sockets[1] ?? assert.fail('no second connection'), 'close');
    await send(upstream, origin);
    assert.equal(new Set(sockets).size, 3);
  });

  test('a server that closes right after each response, unannounced, fails no request', async () => {
    const { origin } = await serve((socket) => socket.end(OK));
    const upstream = open();
    for (let turn = 0; turn < 20; turn += 1) {
      assert.deepEqual(await send(upstream, origin), { status: 200, body: 'ok' });
      const both = await Promise.all([send(upstream, origin), send(upstream, origin)]);
      assert.equal(both.length, 2);
    }
  });

  test('a response before the request was read whole is delivered', async () => {
    const { origin } = await started(
      startSocketServer((socket) => {
        socket.once('data', () => {
          socket.pause();
          socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno');
        });
      }),
    );
    const body = 'x'.repeat(20_000_000);
    assert.deepEqual(await send(open(), origin, { body }), { status: 413, body: 'no' });
  });

  test('an aborted call frees its connection slot', async () => {
    const arrived = Promise.withResolvers<void>();
    const { origin } = await serve((socket, _request, index) => {
      if (index === 0) arrived.resolve();
      else socket.write(OK);
    });
    const upstream = open({ maxConnectionsPerOrigin: 1 });
    const calls: UpstreamCall[] = [];
    const first = send(upstream, origin, { onCall: (call) => calls.push(call) }).catch(String);
    const second = send(upstream, origin);
    await arrived.promise;
    calls[0]?.abort(new Error('gone'));
    assert.equal(await first, 'Error: gone');
    assert.deepEqual(await second, { status: 200, body: 'ok' });
  });

  test('a pause at the last byte does not pause the next response', async () => {
    const { origin, sockets } = await serve((socket) => socket.write(OK));
    const upstream = open();
    await new Promise<void>((resolve, reject) => {
      const call: UpstreamCall = upstream.send(requestTo(origin), {
        onHead() {},
        onData: () => call.pause(),
        onEnd: resolve,
        onFailure: reject,
      });
    });
    assert.deepEqual(await send(upstream, origin), { status: 200, body: 'ok' });
    assert.equal(sockets.size, 1);
  });

  test('the second TLS handshake with an origin resumes the session', async () => {
    const isResumed: boolean[] = [];
    const { origin } = await started(
      startSecureServer((socket) => {
        isResumed.push(socket instanceof TLSSocket && socket.isSessionReused());
        onRequests(socket, () =>
          socket.end(OK.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')),
        );
      }),
    );
    const upstream = open({ ca: [LOCALHOST_CERTIFICATE] });
    for (let turn = 0; turn < 2; turn += 1) {
      assert.deepEqual(await send(upstream, origin), { status: 200, body: 'ok' });
    }
    assert.deepEqual(isResumed, [false, true]);
  });
});
