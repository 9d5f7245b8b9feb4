import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Egress, EgressRequest } from '../../jobs/ports/egress.ts';
import { createEgressRule } from '../../kernel/egress-rule.ts';
import { type Resolve, type ResolvedAddress, resolveAllowed } from './guarded-connect.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

const LOOPBACK: ResolvedAddress = { address: '127.0.0.1', family: 4 };
const PUBLIC: ResolvedAddress = { address: '93.184.216.34', family: 4 };

describe('fetching from where callers say', () => {
  let server: Server;
  let port: number;
  let listener: RequestListener = (_request, response) => void response.end('hello');
  let asked = 0;
  let egress: Egress | undefined;

  before(async () => {
    server = createServer((request, response) => {
      asked += 1;
      listener(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    port = typeof address === 'object' && address ? address.port : 0;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  afterEach(async () => {
    await egress?.close();
    listener = (_request, response) => void response.end('hello');
    asked = 0;
  });

  function open(allowHosts: readonly string[], resolve: Resolve = async () => [LOOPBACK]): Egress {
    egress = createGuardedFetch({
      rule: createEgressRule(allowHosts),
      connectTimeoutMs: 2000,
      resolve,
    });
    return egress;
  }

  function get(url: string, given: Partial<EgressRequest> = {}): EgressRequest {
    return { url, method: 'GET', headers: {}, maxAnswerBytes: 100, timeoutMs: 5000, ...given };
  }

  it('reaches a host that is allowed by its name', async () => {
    const answer = await open(['hooks.test']).send(get(`http://hooks.test:${port}/`));
    assert.equal(answer.status, 200);
    assert.equal(answer.body.toString(), 'hello');
    assert.equal(answer.isCut, false);
  });

  it('refuses a name that resolves to an address that is not public', async () => {
    await assert.rejects(open([]).send(get(`http://hooks.test:${port}/`)), {
      code: 'INVALID_REQUEST',
    });
    assert.equal(asked, 0);
  });

  it('refuses a name when one of its addresses is not public', async () => {
    const rule = createEgressRule([]);
    await assert.rejects(resolveAllowed(rule, async () => [PUBLIC, LOOPBACK], 'mixed.test'));
    assert.deepEqual(await resolveAllowed(rule, async () => [PUBLIC], 'fine.test'), [PUBLIC]);
  });

  it('refuses addresses that are not public however they are written', async () => {
    const own = open([]);
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
      await assert.rejects(
        own.send(get(`http://${host}:${port}/`)),
        { code: 'INVALID_REQUEST' },
        host,
      );
    assert.equal(asked, 0);
  });

  it('asks anew for each connection, so that a name cannot change its meaning', async () => {
    const answers = [[PUBLIC], [LOOPBACK]];
    const rule = createEgressRule([]);
    const resolve: Resolve = async () => answers.shift() ?? [LOOPBACK];
    assert.deepEqual(await resolveAllowed(rule, resolve, 'rebinding.test'), [PUBLIC]);
    // What was public when it was looked at is not when it is connected to.
    await assert.rejects(open([], resolve).send(get(`http://rebinding.test:${port}/`)), {
      code: 'INVALID_REQUEST',
    });
    assert.equal(asked, 0);
  });

  it('gives a redirect as it is and does not follow it', async () => {
    listener = (_request, response) =>
      void response.writeHead(302, { location: `http://127.0.0.1:${port}/secret` }).end();
    const answer = await open(['hooks.test']).send(get(`http://hooks.test:${port}/`));
    assert.equal(answer.status, 302);
    assert.equal(asked, 1);
  });

  it('reads no more of an answer than it was told', async () => {
    listener = (_request, response) => {
      const pour = () => {
        while (response.write('x'.repeat(10_000)));
        response.once('drain', pour);
      };
      pour();
    };
    const answer = await open(['hooks.test']).send(get(`http://hooks.test:${port}/`));
    assert.equal(answer.isCut, true);
    assert.ok(answer.body.length <= 100);
  });

  it('does not wait longer than it was told, nor than its caller', async () => {
    listener = () => {};
    const url = `http://hooks.test:${port}/`;
    const slow = open(['hooks.test']);
    await assert.rejects(slow.send(get(url, { timeoutMs: 20 })), { code: 'NETWORK_TIMEOUT' });
    await assert.rejects(slow.send(get(url), AbortSignal.abort()), { code: 'NETWORK_TIMEOUT' });
  });

  it('speaks to the web alone, and carries no password', async () => {
    const own = open(['hooks.test']);
    for (const url of [
      'file:///etc/passwd',
      'ftp://hooks.test/',
      'nonsense',
      `http://a:b@hooks.test:${port}/`,
    ])
      await assert.rejects(own.send(get(url)), { code: 'INVALID_REQUEST' }, url);
    assert.equal(asked, 0);
  });
});
