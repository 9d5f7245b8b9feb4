import assert from 'node:assert/strict';
import { afterEach, suite, test } from 'node:test';
import { upstreamContract } from '../../../test/contract/upstream.ts';
import { LOCALHOST_CERTIFICATE } from '../../../test/support/localhost-certificate.ts';
import {
  type ForwardProxy,
  type ForwardProxyOptions,
  startForwardProxy,
} from '../../../test/support/upstream/forward-proxy.ts';
import {
  OK,
  onRequests,
  type RawServer,
  startRawServer,
  startSecureServer,
  startSocketServer,
} from '../../../test/support/upstream/raw-server.ts';
import { send } from '../../../test/support/upstream/request.ts';
import { mapProviderError } from '../../errors/map-provider-error.ts';
import { createUndiciUpstream } from './upstream.ts';

upstreamContract('undici, direct', { open: createUndiciUpstream });

let shared: ForwardProxy | undefined;
upstreamContract('undici, through a proxy', {
  async start() {
    shared = await startForwardProxy();
  },
  open: (options) => createUndiciUpstream({ ...options, proxyUrl: shared?.origin }),
  stop: async () => shared?.close(),
});

suite('a proxy', () => {
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });

  async function started<S extends RawServer>(starting: Promise<S>): Promise<S> {
    const server = await starting;
    opened.unshift(server);
    return server;
  }

  async function startProxy(options: ForwardProxyOptions, credentials: string) {
    const proxy = await started(startForwardProxy(options));
    return { proxy, upstream: openThrough(`http://${credentials}127.0.0.1:${proxy.port}`) };
  }

  function openThrough(proxyUrl: string) {
    const upstream = createUndiciUpstream({
      connectTimeoutMs: 200,
      maxConnectionsPerOrigin: 10,
      proxyUrl,
      ca: [LOCALHOST_CERTIFICATE],
    });
    opened.push(upstream);
    return upstream;
  }

  test('forwards a request to a plain HTTP origin', async () => {
    const requests: string[] = [];
    const provider = await started(
      startRawServer((socket, request) => {
        requests.push(request);
        socket.write(OK);
      }),
    );
    const { proxy, upstream } = await startProxy({}, '');
    await send(upstream, provider.origin);
    assert.deepEqual(proxy.requestLines, [`POST ${provider.origin}/v1/x HTTP/1.1`]);
    assert.match(requests[0] ?? '', new RegExp(`^host: 127.0.0.1:${provider.port}\r$`, 'm'));
  });

  test('tunnels to an HTTPS origin and checks the certificate by the name of the origin', async () => {
    const provider = await started(
      startSecureServer((socket) => onRequests(socket, () => socket.write(OK))),
    );
    const { proxy, upstream } = await startProxy({}, '');
    assert.deepEqual(await send(upstream, provider.origin), { status: 200, body: 'ok' });
    assert.deepEqual(proxy.requestLines, [`CONNECT localhost:${provider.port} HTTP/1.1`]);
  });

  test('gets the credentials of its URL, and the provider does not', async () => {
    const requests: string[] = [];
    const provider = await started(
      startSecureServer((socket) =>
        onRequests(socket, (request) => {
          requests.push(request);
          socket.write(OK);
        }),
      ),
    );
    const { upstream } = await startProxy({ credentials: 'ann:p@ss' }, 'ann:p%40ss@');
    await send(upstream, provider.origin);
    assert.doesNotMatch(requests[0] ?? '', /proxy-/i);
  });

  for (const kind of ['plain', 'secure'] as const) {
    test(`that rejects its credentials fails a ${kind} call, which is not retryable`, async () => {
      const respond = () => assert.fail('the request reached the provider');
      const provider = await started(
        kind === 'plain' ? startRawServer(respond) : startSecureServer(respond),
      );
      const { upstream } = await startProxy({ credentials: 'ann:right' }, 'ann:wrong@');
      await assert.rejects(send(upstream, provider.origin), (error: Error) => {
        assert.doesNotMatch(error.message, /wrong/);
        assert.equal(mapProviderError(error).retryable, false);
        return true;
      });
    });
  }

  test('that never answers CONNECT fails the call in the connect phase', async () => {
    const silent = await started(startSocketServer(() => {}));
    const upstream = openThrough(silent.origin);
    await assert.rejects(send(upstream, 'https://provider.invalid'), (error) => {
      assert.equal(mapProviderError(error).params['phase'], 'connect');
      return true;
    });
  });

  test('that is unavailable fails the call in the connect phase, which is retryable', async () => {
    const server = await startSocketServer(() => {});
    await server.close();
    for (const scheme of ['http', 'https'])
      await assert.rejects(
        send(openThrough(server.origin), `${scheme}://provider.invalid`),
        (error) => {
          const { params, retryable } = mapProviderError(error);
          assert.deepEqual([params['phase'], retryable], ['connect', true]);
          return true;
        },
      );
  });
});
