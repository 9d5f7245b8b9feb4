import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, suite, test } from 'node:test';
import {
  createServer as createSecureServer,
  getCACertificates,
  setDefaultCACertificates,
  type TLSSocket,
} from 'node:tls';
import {
  LOCALHOST_CERTIFICATE,
  LOCALHOST_KEY,
} from '../../../test/support/localhost-certificate.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Upstream, UpstreamCall } from '../../upstream/upstream.ts';
import { createHttp1Upstream } from './upstream.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** What a provider does with a connection; told of every request that came whole. */
type Behaviour = (socket: Socket, request: string, turn: number) => void;

suite('the way to providers', () => {
  const opened: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0).toReversed()) await each.close();
  });

  test('a request goes out as it was given, and its answer comes back', async () => {
    const requests: string[] = [];
    const origin = await listen((socket, request) => {
      requests.push(request);
      socket.write(OK);
    });
    const answer = await ask(upstreamOf(), origin, { headers: ['x-a', 'ä'], body: 'Grüße' });
    assert.deepEqual(answer, { status: 200, body: 'ok' });
    const { host } = new URL(origin);
    const head = `POST /v1/x HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\nx-a: ä\r\ncontent-length: 7\r\n\r\n`;
    assert.deepEqual(requests, [`${head}${Buffer.from('Grüße').toString('latin1')}`]);
  });

  test('a large body arrives whole', async () => {
    const body = 'x'.repeat(300_000);
    const origin = await listen((socket, request) => {
      const { length } = request.slice(request.indexOf('\r\n\r\n') + 4);
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${String(length).length}\r\n\r\n${length}`);
    });
    assert.equal((await ask(upstreamOf(), origin, { body })).body, '300000');
  });

  test('a connection is used again, and one more is opened only when all are busy', async () => {
    const sockets = new Set<Socket>();
    const origin = await listen((socket) => {
      sockets.add(socket);
      socket.write(OK);
    });
    const upstream = upstreamOf();
    for (let turn = 0; turn < 5; turn += 1) await ask(upstream, origin);
    assert.equal(sockets.size, 1);
    await Promise.all([ask(upstream, origin), ask(upstream, origin)]);
    assert.equal(sockets.size, 2);
  });

  for (const [what, answer] of [
    ['says that it ends', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'],
    ['is kept for a second only', `${OK.slice(0, 17)}keep-alive: timeout=1\r\n${OK.slice(17)}`],
    ['brings more than was asked for', `${OK}${OK}`],
    ['speaks HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'],
    [
      'gives two lengths of one body',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    ],
  ] as const) {
    test(`a connection that ${what} is not used again`, async () => {
      const sockets = new Set<Socket>();
      const origin = await listen((socket) => {
        sockets.add(socket);
        socket.write(answer);
      });
      const upstream = upstreamOf();
      for (let turn = 0; turn < 3; turn += 1) {
        assert.deepEqual(await ask(upstream, origin), { status: 200, body: 'ok' });
      }
      assert.equal(sockets.size, 3);
    });
  }

  test('an idle connection that the server ends, or speaks on, fails nobody', async () => {
    const sockets: Socket[] = [];
    const origin = await listen((socket) => {
      sockets.push(socket);
      socket.write(OK);
    });
    const upstream = upstreamOf();
    await ask(upstream, origin);
    sockets[0]?.end();
    await once(sockets[0] ?? assert.fail('nobody came'), 'close');
    await ask(upstream, origin);
    sockets[1]?.write(OK);
    await once(sockets[1] ?? assert.fail('nobody came'), 'close');
    await ask(upstream, origin);
    assert.equal(new Set(sockets).size, 3);
  });

  test('a connection that the server ends right behind its answers, without a word, fails nobody', async () => {
    const origin = await listen((socket) => socket.end(OK));
    const upstream = upstreamOf();
    for (let turn = 0; turn < 20; turn += 1) {
      assert.deepEqual(await ask(upstream, origin), { status: 200, body: 'ok' });
      const both = await Promise.all([ask(upstream, origin), ask(upstream, origin)]);
      assert.equal(both.length, 2);
    }
  });

  test('an answer that comes before the request was taken is told, and the connection given up', async () => {
    const origin = await listenRaw((socket) => {
      socket.once('data', () => {
        socket.pause();
        socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno');
      });
    });
    const body = 'x'.repeat(20_000_000);
    assert.deepEqual(await ask(upstreamOf(), origin, { body }), { status: 413, body: 'no' });
  });

  for (const [what, behaviour] of [
    ['nothing', (socket) => socket.destroy()],
    ['half a head', (socket) => socket.end('HTTP/1.1 200 OK\r\ncont')],
    ['half a body', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf')],
    [
      'half a chunk',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nha'),
    ],
    ['a reset', (socket) => socket.resetAndDestroy()],
  ] as const satisfies readonly (readonly [string, Behaviour])[]) {
    test(`a connection that ends after ${what} is a failure`, async () => {
      const origin = await listen(behaviour);
      await assert.rejects(ask(upstreamOf(), origin), { code: 'ECONNRESET' });
    });
  }

  test('what is no answer is a failure that carries none of it', async () => {
    const origin = await listen((socket) => socket.write('220 secret.example ESMTP\r\n\r\n'));
    await assert.rejects(ask(upstreamOf(), origin), (error: Error) => {
      assert.equal('code' in error && error.code, 'HPE_INVALID_CONSTANT');
      return !error.message.includes('secret');
    });
  });

  test('nobody there, and nobody who answers in time', async () => {
    const origin = await listen(() => {});
    const server = opened.pop();
    await server?.close();
    await assert.rejects(ask(upstreamOf(), origin), { code: 'ECONNREFUSED' });
    // A handshake that nobody takes part in is a connection that never comes to be.
    const silent = await listenRaw(() => {});
    await assert.rejects(
      ask(upstreamOf({ connectTimeoutMs: 50 }), silent.replace('http:', 'https:')),
      {
        name: 'ConnectTimeoutError',
      },
    );
  });

  test('a path or a header that would be a second request is not sent', async () => {
    const requests: string[] = [];
    const origin = await listen((socket, request) => {
      requests.push(request);
      socket.write(OK);
    });
    const upstream = upstreamOf();
    for (const path of ['/a b', '/a\r\nx: y', 'a', '/\u{1f600}', '/a\0']) {
      await assert.rejects(ask(upstream, origin, { path }), TypeError);
    }
    for (const headers of [
      ['a', 'b\r\nc: d'],
      ['a\r\n', 'b'],
      ['', 'b'],
      ['a b', 'c'],
      ['a', '\u{1f600}'],
    ]) {
      await assert.rejects(ask(upstream, origin, { headers }), TypeError);
    }
    await ask(upstream, origin);
    assert.equal(requests.length, 1);
  });

  test('with as many connections as may be, requests wait their turn', async () => {
    const sockets = new Set<Socket>();
    const held: Socket[] = [];
    const origin = await listen((socket) => {
      sockets.add(socket);
      held.push(socket);
      if (held.length === 2) answerAll(held);
    });
    const upstream = upstreamOf({ maxConnectionsPerOrigin: 2 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(upstream, origin)));
    assert.equal(answers.length, 6);
    assert.equal(sockets.size, 2);
  });

  test('one that is aborted frees its place; one that waits is never sent', async () => {
    const requests: string[] = [];
    const arrived = Promise.withResolvers<Socket>();
    const origin = await listen((socket, request, turn) => {
      requests.push(request.slice(5, 9));
      if (turn > 0) socket.write(OK);
      else arrived.resolve(socket);
    });
    const upstream = upstreamOf({ maxConnectionsPerOrigin: 1 });
    const calls: UpstreamCall[] = [];
    const outcomes = ['/1st', '/2nd', '/3rd'].map((path) =>
      ask(upstream, origin, { path, onCall: (call) => calls.push(call) }).catch(String),
    );
    const socket = await arrived.promise;
    const isClosed = once(socket, 'close');
    calls[1]?.abort(new Error('second thoughts'));
    calls[0]?.abort(new Error('gone'));
    calls[0]?.abort(new Error('gone twice'));
    await isClosed;
    assert.deepEqual(await Promise.all(outcomes), [
      'Error: gone',
      'Error: second thoughts',
      { status: 200, body: 'ok' },
    ]);
    assert.deepEqual(requests, ['/1st', '/3rd']);
  });

  test('one that aborts in the middle of its answer hears no more of it', async () => {
    const origin = await listen((socket) => socket.write(OK));
    const told: string[] = [];
    await new Promise<void>((resolve) => {
      const call: UpstreamCall = upstreamOf().send(requestTo(origin), {
        onHead: () => call.abort(new Error('enough')),
        onData: () => void told.push('data'),
        onEnd: () => void told.push('end'),
        onFailure(error) {
          told.push(error.message);
          resolve();
        },
      });
    });
    assert.deepEqual(told, ['enough']);
  });

  test('a paused answer waits at the provider, and comes whole when it is resumed', async () => {
    const size = 8_000_000;
    const origin = await listen((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`);
      socket.write(Buffer.alloc(size, 120));
    });
    let bytes = 0;
    const ended = Promise.withResolvers<void>();
    const call: UpstreamCall = upstreamOf().send(requestTo(origin), {
      onHead() {},
      onData(chunk) {
        bytes += chunk.length;
        call.pause();
        setImmediate(() => call.resume());
      },
      onEnd: () => ended.resolve(),
      onFailure: (error) => ended.reject(error),
    });
    await ended.promise;
    assert.equal(bytes, size);
  });

  test('an answer that is paused at its last byte leaves the connection to the next one', async () => {
    const sockets = new Set<Socket>();
    const origin = await listen((socket) => {
      sockets.add(socket);
      socket.write(OK);
    });
    const upstream = upstreamOf();
    await new Promise<void>((resolve, reject) => {
      const call: UpstreamCall = upstream.send(requestTo(origin), {
        onHead() {},
        onData: () => call.pause(),
        onEnd: resolve,
        onFailure: reject,
      });
    });
    assert.deepEqual(await ask(upstream, origin), { status: 200, body: 'ok' });
    assert.equal(sockets.size, 1);
  });

  test('closing waits for what is under way and ends what is idle', async () => {
    const arrived = Promise.withResolvers<Socket>();
    const origin = await listen((socket, _request, turn) => {
      if (turn === 0) socket.write(OK);
      else arrived.resolve(socket);
    });
    const upstream = createHttp1Upstream(OPTIONS);
    await ask(upstream, origin);
    const answer = ask(upstream, origin);
    const socket = await arrived.promise;
    const closing = upstream.close();
    socket.write(OK);
    assert.deepEqual(await answer, { status: 200, body: 'ok' });
    await closing;
  });

  test('over TLS the name is checked, and the second handshake is a short one', async () => {
    const reused: boolean[] = [];
    const server = createSecureServer({ key: LOCALHOST_KEY, cert: LOCALHOST_CERTIFICATE });
    server.on('secureConnection', (socket: TLSSocket) => {
      reused.push(socket.isSessionReused());
      socket.on('error', () => {});
      socket.on('data', () => socket.end(OK.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')));
    });
    const port = await listening(server);
    const upstream = upstreamOf();
    await assert.rejects(ask(upstream, `https://localhost:${port}`), {
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, LOCALHOST_CERTIFICATE]);
    try {
      for (let turn = 0; turn < 2; turn += 1) {
        const answer = await ask(upstream, `https://localhost:${port}`);
        assert.deepEqual(answer, { status: 200, body: 'ok' });
      }
    } finally {
      setDefaultCACertificates(trusted);
    }
    assert.deepEqual(reused.slice(-2), [false, true]);
  });

  const OPTIONS = { connectTimeoutMs: 5000, maxConnectionsPerOrigin: 10, clock: systemClock };

  function upstreamOf(more: Partial<typeof OPTIONS> = {}): Upstream {
    const upstream = createHttp1Upstream({ ...OPTIONS, ...more });
    opened.push(upstream);
    return upstream;
  }

  /** A server that reads whole requests. */
  function listen(behave: Behaviour): Promise<string> {
    let turn = 0;
    return listenRaw((socket) => {
      let text = '';
      socket.on('data', (bytes) => {
        text += bytes.toString('latin1');
        const length = Number(/content-length: (\d+)/.exec(text)?.[1] ?? 0);
        const wholeLength = text.indexOf('\r\n\r\n') + 4 + length;
        if (!text.includes('\r\n\r\n') || text.length < wholeLength) return;
        const request = text;
        text = '';
        behave(socket, request, turn++);
      });
    });
  }

  async function listenRaw(onSocket: (socket: Socket) => void): Promise<string> {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      onSocket(socket);
    });
    return `http://127.0.0.1:${await listening(server)}`;
  }

  async function listening(server: Server): Promise<number> {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => sockets.add(socket));
    server.listen(0, 'localhost');
    await once(server, 'listening');
    opened.push({
      close() {
        for (const socket of sockets) socket.destroy();
        return new Promise((resolve) => server.close(resolve));
      },
    });
    const address = server.address();
    return typeof address === 'object' && address ? address.port : assert.fail('no address');
  }
});

function answerAll(sockets: Socket[]): void {
  for (const socket of sockets.splice(0)) socket.write(OK);
}

type Question = {
  readonly path?: string;
  readonly headers?: string[];
  readonly body?: string;
  readonly onCall?: (call: UpstreamCall) => void;
};

function requestTo(origin: string, { path = '/v1/x', headers = [], body = '{}' }: Question = {}) {
  return { origin, path, method: 'POST', headers, body: Buffer.from(body) } as const;
}

function ask(
  upstream: Upstream,
  origin: string,
  question: Question = {},
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let body = '';
    const call = upstream.send(requestTo(origin, question), {
      onHead(given) {
        status = given;
      },
      onData(chunk) {
        body += chunk.toString('latin1');
      },
      onEnd: () => resolve({ status, body }),
      onFailure: reject,
    });
    question.onCall?.(call);
  });
}
