// The contract of every `Upstream` adapter. Each adapter's test calls it with its own opener. Providers are raw sockets on
// loopback, so that responses can be malformed, cut or silent.

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, afterEach, before, suite, test } from 'node:test';
import type { Upstream, UpstreamCall } from '../../src/upstream/upstream.ts';
import {
  OK,
  type RawServer,
  type Respond,
  startRawServer,
} from '../support/upstream/raw-server.ts';
import { requestTo, send } from '../support/upstream/request.ts';
import { testFailures, type UpstreamOptions } from './upstream-failures.ts';

export type UpstreamAdapter = {
  open(options: UpstreamOptions): Upstream;
  start?(): Promise<void>;
  stop?(): Promise<void>;
};

const OPTIONS: UpstreamOptions = { connectTimeoutMs: 5000, maxConnectionsPerOrigin: 10 };
const HEAD = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`;

export function upstreamContract(name: string, adapter: UpstreamAdapter): void {
  suite(`upstream: ${name}`, () => {
    const opened: { close(): Promise<void> }[] = [];
    before(() => adapter.start?.());
    after(() => adapter.stop?.());
    afterEach(async () => {
      for (const each of opened.splice(0)) await each.close();
    });

    function open(options: Partial<UpstreamOptions> = {}): Upstream {
      const upstream = adapter.open({ ...OPTIONS, ...options });
      opened.push(upstream);
      return upstream;
    }

    async function started(starting: Promise<RawServer>): Promise<RawServer> {
      const server = await starting;
      // Before the upstream: its close waits for calls, which end with their sockets.
      opened.unshift(server);
      return server;
    }

    const serve = (respond: Respond): Promise<RawServer> => started(startRawServer(respond));

    test('a unary request arrives unchanged and its response is delivered', async () => {
      const requests: string[] = [];
      const { origin } = await serve((socket, request) => {
        requests.push(request);
        socket.write(
          `${HEAD}x-a: 1\r\nX-A: 2\r\ncontent-length: 7\r\n\r\nGr\xfc\xdfe!\n`,
          'latin1',
        );
      });
      const response = await send(open(), origin, { headers: ['x-b', 'ä'], body: 'Grüße' });
      assert.deepEqual(response, { status: 200, body: 'Gr\xfc\xdfe!\n' });
      const [request = ''] = requests;
      assert.match(request, /^POST \/v1\/x HTTP\/1\.1\r\n/);
      assert.match(request, new RegExp(`^host: ${new URL(origin).host}\r$`, 'im'));
      assert.match(request, /^x-b: ä\r$/m);
      assert.equal(request.split('\r\n\r\n')[1], Buffer.from('Grüße').toString('latin1'));
    });

    test('names of response headers are in lower case and a repeated header is a list', async () => {
      const { origin } = await serve((socket) =>
        socket.write(`${HEAD}X-One: 1\r\nX-Two: 2\r\nx-two: 3\r\nContent-Length: 0\r\n\r\n`),
      );
      const headers = await new Promise((resolve, reject) => {
        open().send(requestTo(origin), {
          onHead: (_status, given) => resolve([given['x-one'], given['x-two']]),
          onData() {},
          onEnd() {},
          onFailure: reject,
        });
      });
      assert.deepEqual(headers, ['1', ['2', '3']]);
    });

    test('a large request body arrives whole', async () => {
      const { origin } = await serve((socket, request) => {
        const length = String(request.split('\r\n\r\n')[1]?.length);
        socket.write(`${HEAD}content-length: ${length.length}\r\n\r\n${length}`);
      });
      assert.equal((await send(open(), origin, { body: 'x'.repeat(300_000) })).body, '300000');
    });

    test('an error status is a response, not a failure', async () => {
      const { origin } = await serve((socket) =>
        socket.write('HTTP/1.1 529 Overloaded\r\ncontent-length: 4\r\n\r\nbusy'),
      );
      assert.deepEqual(await send(open(), origin), { status: 529, body: 'busy' });
    });

    test('chunks of a stream are delivered as they arrive, and trailers are skipped', async () => {
      const provider = Promise.withResolvers<Socket>();
      const { origin } = await serve((socket) => {
        socket.write(`${CHUNKED}3;x="y"\r\none\r\n`);
        provider.resolve(socket);
      });
      let body = '';
      const first = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<void>();
      open().send(requestTo(origin), {
        onHead() {},
        onData(chunk) {
          body += chunk.toString();
          first.resolve();
        },
        onEnd: () => ended.resolve(),
        onFailure: (error) => ended.reject(error),
      });
      await first.promise;
      assert.equal(body, 'one');
      (await provider.promise).write('3\r\ntwo\r\n0\r\nx-trailer: 1\r\n\r\n');
      await ended.promise;
      assert.equal(body, 'onetwo');
    });

    test('a response without length ends with the connection', async () => {
      const { origin } = await serve((socket) =>
        socket.end(`${HEAD}connection: close\r\n\r\nall of it`),
      );
      assert.equal((await send(open(), origin)).body, 'all of it');
    });

    test('an interim response is skipped', async () => {
      const { origin } = await serve((socket) =>
        socket.write(`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${OK}`),
      );
      assert.deepEqual(await send(open(), origin), { status: 200, body: 'ok' });
    });

    test('sequential requests reuse connections', async () => {
      const server = await serve((socket) => socket.write(OK));
      const upstream = open();
      for (let turn = 0; turn < 10; turn += 1) await send(upstream, server.origin);
      // A request that follows within the turn of a response may open a second one.
      assert.ok(server.sockets.size <= 2);
    });

    test('requests beyond maxConnectionsPerOrigin wait for a connection', async () => {
      const waiting: Socket[] = [];
      const server = await serve((socket) => {
        waiting.push(socket);
        if (waiting.length === 2) for (const each of waiting.splice(0)) each.write(OK);
      });
      const upstream = open({ maxConnectionsPerOrigin: 2 });
      await Promise.all(Array.from({ length: 6 }, () => send(upstream, server.origin)));
      assert.equal(server.sockets.size, 2);
    });

    test('a paused response delivers nothing until it is resumed, and then all of it', async () => {
      const size = 16_000_000;
      const { origin } = await serve((socket, request) => {
        if (request.startsWith('POST /small')) return void socket.write(OK);
        socket.write(`${HEAD}content-length: ${size}\r\n\r\n`);
        socket.write(Buffer.alloc(size, 120));
      });
      const upstream = open();
      let bytes = 0;
      const paused = Promise.withResolvers<number>();
      const ended = Promise.withResolvers<void>();
      const call: UpstreamCall = upstream.send(requestTo(origin), {
        onHead() {},
        onData(chunk) {
          if (bytes === 0) call.pause();
          bytes += chunk.length;
          paused.resolve(bytes);
        },
        onEnd: () => ended.resolve(),
        onFailure: (error) => ended.reject(error),
      });
      const bytesAtPause = await paused.promise;
      // Other calls proceed during the pause; each is a full round trip in which more bytes could arrive.
      for (let turn = 0; turn < 5; turn += 1) await send(upstream, origin, { path: '/small' });
      assert.equal(bytes, bytesAtPause);
      call.resume();
      await ended.promise;
      assert.equal(bytes, size);
    });

    test('abort fails a sent call with its reason and closes the connection', async () => {
      const provider = Promise.withResolvers<Socket>();
      const { origin } = await serve((socket) => {
        socket.write(`${CHUNKED}3\r\none\r\n`);
        provider.resolve(socket);
      });
      const calls: UpstreamCall[] = [];
      const outcome = send(open(), origin, { onCall: (call) => calls.push(call) }).catch(String);
      const socket = await provider.promise;
      const closed = new Promise((resolve) => socket.once('close', resolve));
      calls[0]?.abort(new Error('first'));
      calls[0]?.abort(new Error('second'));
      assert.equal(await outcome, 'Error: first');
      await closed;
    });

    test('a call that is aborted while queued is never sent', async () => {
      const paths: string[] = [];
      const provider = Promise.withResolvers<Socket>();
      const { origin } = await serve((socket, request, index) => {
        paths.push(request.slice(5, 9));
        if (index > 0) socket.write(OK);
        else provider.resolve(socket);
      });
      const upstream = open({ maxConnectionsPerOrigin: 1 });
      const calls: UpstreamCall[] = [];
      const outcomes = ['/1st', '/2nd', '/3rd'].map((path) =>
        send(upstream, origin, { path, onCall: (call) => calls.push(call) }).catch(String),
      );
      const first = await provider.promise;
      calls[1]?.abort(new Error('not needed'));
      first.write(OK);
      const ok = { status: 200, body: 'ok' };
      assert.deepEqual(await Promise.all(outcomes), [ok, 'Error: not needed', ok]);
      assert.deepEqual(paths, ['/1st', '/3rd']);
    });

    test('an abort within onHead delivers no data and one outcome', async () => {
      const { origin } = await serve((socket) => socket.write(OK));
      const upstream = open();
      const events: string[] = [];
      await new Promise<void>((resolve) => {
        const call: UpstreamCall = upstream.send(requestTo(origin), {
          onHead: () => call.abort(new Error('enough')),
          onData: () => void events.push('data'),
          onEnd: () => void events.push('end'),
          onFailure(error) {
            events.push(error.message);
            resolve();
          },
        });
      });
      await send(upstream, origin);
      assert.deepEqual(events, ['enough']);
    });

    test('bytes after a response are not taken for the next response', async () => {
      const { origin } = await serve((socket, _request, index) =>
        socket.write(index === 0 ? `${OK}${OK.replace('ok', 'no')}` : OK),
      );
      const upstream = open();
      assert.equal((await send(upstream, origin)).body, 'ok');
      assert.equal((await send(upstream, origin)).body, 'ok');
    });

    test('a path or header that would smuggle a second request is not sent', async () => {
      const requests: string[] = [];
      const { origin } = await serve((socket, request) => {
        requests.push(request);
        socket.write(OK);
      });
      const upstream = open();
      for (const path of ['/a b', '/a\r\nx: y', 'a', '/\u{1f600}', '/a\0'])
        await assert.rejects(send(upstream, origin, { path }));
      for (const headers of [
        ['a', 'b\r\nc: d'],
        ['a\r\n', 'b'],
        ['', 'b'],
        ['a b', 'c'],
      ])
        await assert.rejects(send(upstream, origin, { headers }));
      await send(upstream, origin);
      assert.equal(requests.length, 1);
    });

    testFailures({ open, serve, started });

    test('close waits for the calls in flight and is idempotent', async () => {
      const provider = Promise.withResolvers<Socket>();
      const { origin } = await serve((socket) => provider.resolve(socket));
      const upstream = adapter.open(OPTIONS);
      const response = send(upstream, origin);
      const socket = await provider.promise;
      const closing = Promise.all([upstream.close(), upstream.close()]);
      socket.write(OK);
      assert.deepEqual(await response, { status: 200, body: 'ok' });
      await closing;
    });
  });
}
