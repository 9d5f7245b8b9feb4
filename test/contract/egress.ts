// The contract of every `Egress` adapter. The opener gets the allowed hosts and a resolver, so that names under `.test` can
// stand for any address; the server is on loopback, which is not public.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { after, afterEach, before, suite, test } from 'node:test';
import type { Egress, EgressRequest } from '../../src/jobs/ports/egress.ts';

export type Address = { readonly address: string; readonly family: number };

export type OpenEgress = (options: {
  readonly allowHosts: readonly string[];
  readonly resolve: (hostname: string) => Promise<readonly Address[]>;
}) => Egress;

const LOOPBACK: Address = { address: '127.0.0.1', family: 4 };
const PUBLIC: Address = { address: '93.184.216.34', family: 4 };

export function egressContract(adapter: string, openEgress: OpenEgress): void {
  suite(`egress: ${adapter}`, () => {
    let server: Server;
    let port: number;
    let requests = 0;
    let respond: RequestListener;
    const opened: Egress[] = [];

    before(async () => {
      server = createServer((request, response) => {
        requests += 1;
        respond(request, response);
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      port = typeof address === 'object' && address ? address.port : assert.fail('no address');
    });
    after(() => {
      server.closeAllConnections();
      server.close();
    });
    afterEach(async () => {
      for (const egress of opened.splice(0)) await egress.close();
      requests = 0;
    });

    function open(
      allowHosts: readonly string[],
      resolve: (hostname: string) => Promise<readonly Address[]> = async () => [LOOPBACK],
    ): Egress {
      respond = (_request, response) => void response.end('hello');
      const egress = openEgress({ allowHosts, resolve });
      opened.push(egress);
      return egress;
    }

    function get(host: string, given: Partial<EgressRequest> = {}): EgressRequest {
      const url = `http://${host}:${port}/`;
      return { url, method: 'GET', headers: {}, maxAnswerBytes: 100, timeoutMs: 5000, ...given };
    }

    test('a host that is allowed by name is reached at any address', async () => {
      const answer = await open(['hooks.test']).send(get('hooks.test'));
      assert.deepEqual([answer.status, answer.isCut], [200, false]);
      assert.equal(answer.body.toString(), 'hello');
    });

    test('method, headers and body arrive as given', async () => {
      const egress = open(['hooks.test']);
      const received: string[] = [];
      respond = (request, response) => {
        received.push(request.method ?? '', String(request.headers['x-a']));
        request.on('data', (chunk) => received.push(String(chunk)));
        request.on('end', () => response.setHeader('content-type', 'text/plain').end());
      };
      const request = { method: 'POST', headers: { 'x-a': '1' }, body: 'Grüße' } as const;
      const answer = await egress.send(get('hooks.test', request));
      assert.deepEqual(received, ['POST', '1', 'Grüße']);
      assert.equal(answer.contentType, 'text/plain');
    });

    test('a name with a private address is refused before any connection', async () => {
      for (const addresses of [[LOOPBACK], [PUBLIC, LOOPBACK]]) {
        const egress = open([], async () => addresses);
        await assert.rejects(egress.send(get('hooks.test')), { code: 'INVALID_REQUEST' });
      }
      assert.equal(requests, 0);
    });

    test('a private address is refused in every notation', async () => {
      const egress = open([]);
      for (const host of [
        '127.0.0.1',
        '127.1',
        '2130706433',
        '0x7f.0.0.1',
        '0177.0.0.1',
        '0.0.0.0',
        'localhost',
        '[::1]',
        '[::ffff:127.0.0.1]',
        '[64:ff9b::7f00:1]',
        '169.254.169.254',
      ])
        await assert.rejects(egress.send(get(host)), { code: 'INVALID_REQUEST' }, host);
      assert.equal(requests, 0);
    });

    test('a redirect is an answer and is not followed', async () => {
      const egress = open(['hooks.test']);
      respond = (_request, response) =>
        void response.writeHead(302, { location: `http://127.0.0.1:${port}/secret` }).end();
      assert.equal((await egress.send(get('hooks.test'))).status, 302);
      assert.equal(requests, 1);
    });

    test('an answer beyond maxAnswerBytes is cut', async () => {
      const egress = open(['hooks.test']);
      respond = (_request, response) => {
        const pour = (): void => {
          while (response.write('x'.repeat(10_000)));
          response.once('drain', pour);
        };
        pour();
      };
      const answer = await egress.send(get('hooks.test'));
      assert.equal(answer.isCut, true);
      assert.ok(answer.body.length <= 100);
    });

    test('a silent host fails with NETWORK_TIMEOUT after timeoutMs, or when the caller aborts', async () => {
      const egress = open(['hooks.test']);
      respond = () => {};
      const expected = { code: 'NETWORK_TIMEOUT' };
      await assert.rejects(egress.send(get('hooks.test', { timeoutMs: 20 })), expected);
      await assert.rejects(egress.send(get('hooks.test'), AbortSignal.abort()), expected);
    });

    test('a name that does not resolve fails with NETWORK_TIMEOUT', async () => {
      const egress = open([], async () => {
        throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
      });
      await assert.rejects(egress.send(get('hooks.test')), { code: 'NETWORK_TIMEOUT' });
    });

    test('other schemes and credentials in the URL are refused', async () => {
      const egress = open(['hooks.test']);
      for (const url of [
        'file:///etc/passwd',
        'ftp://hooks.test/',
        'nonsense',
        `http://a:b@hooks.test:${port}/`,
      ])
        await assert.rejects(egress.send(get('', { url })), { code: 'INVALID_REQUEST' }, url);
      assert.equal(requests, 0);
    });

    test('close is idempotent', async () => {
      const egress = open([]);
      await egress.close();
      await egress.close();
    });
  });
}
