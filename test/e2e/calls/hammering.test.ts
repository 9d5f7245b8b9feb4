// Connections and refused requests are bounded: guessing and hammering is throttled, and callers that are served are not.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, suite, test } from 'node:test';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';
import { textAt } from '../../support/response-fields.ts';

const CALL = JSON.stringify({
  model: 'claude-sonnet-4-5',
  max_tokens: 5,
  messages: [{ role: 'user', content: 'Hello' }],
});

async function send(
  gateway: TestGateway,
  key: string,
  path = '/v1/messages',
  body = CALL,
): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(gateway.url + path, { method: 'POST', headers, body });
}

/** A request that `fetch` would not send; resolves to its status. */
async function requestRaw(
  { url }: TestGateway,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const connection = 'upgrade' in headers ? 'upgrade' : 'close';
  const sent = request(url + path, { method, headers: { connection, ...headers } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await text(response);
  return response.statusCode ?? 0;
}

/** The statuses of `count` requests, one after the other. */
async function statuses(count: number, next: () => Promise<Response>): Promise<readonly number[]> {
  const seen: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const response = await next();
    await response.text();
    seen.push(response.status);
  }
  return seen;
}

suite('refused requests', () => {
  let gateway: TestGateway;
  before(async () => {
    const limits = 'server: { refusalsPerMinute: 10, adminGuessesPerMinute: 10 }\n';
    gateway = await startTestGateway({}, () => SINGLE_ATTEMPTS + limits);
  });
  after(() => gateway.close());

  async function newKey(name: string): Promise<string> {
    const response = await send(
      gateway,
      gateway.adminKey,
      '/admin/orgs/default/keys',
      JSON.stringify({ name }),
    );
    assert.equal(response.status, 201);
    return textAt(await response.json(), 'key');
  }

  test('bad requests of a key are throttled, then all its requests are, and no other key is', async () => {
    const [key, other] = [await newKey('hammer'), await newKey('other')];
    const bad = (): Promise<Response> => send(gateway, key, '/v1/messages', '{"model":');
    const [first, rest] = [await statuses(10, bad), await statuses(5, bad)];
    assert.deepEqual([...new Set(first)], [400]);
    assert.deepEqual([...new Set(rest)], [429]);
    assert.equal((await send(gateway, key)).status, 200, 'good requests are served');
    await statuses(10, bad);
    const blocked = await send(gateway, key);
    assert.equal(blocked.status, 429);
    assert.ok(Number(blocked.headers.get('retry-after')) > 0);
    assert.match(await blocked.text(), /RATE_LIMITED/);
    assert.equal((await send(gateway, other)).status, 200);
  });

  test('missing jobs and wrong scopes count for the key', async () => {
    const key = await newKey('lost');
    const get = (path: string): Promise<Response> =>
      fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } });
    const seen = await statuses(12, () => get('/v1/jobs/job_unknown'));
    assert.deepEqual([...new Set(seen)], [404, 429]);
  });

  for (const [what, method, path] of [
    ['unserved paths', 'POST', '/v1/files'],
    ['wrong methods of AI endpoints', 'GET', '/v1/messages'],
    ['wrong methods of other endpoints', 'PATCH', '/v1/jobs'],
    ['WebSocket handshakes', 'GET', '/v1/responses'],
  ] as const)
    test(`${what} count for the key, and block it`, async () => {
      const key = await newKey(what);
      assert.equal((await send(gateway, key)).status, 200);
      const upgrade: Record<string, string> =
        what === 'WebSocket handshakes' ? { upgrade: 'websocket' } : {};
      const lost = () => requestRaw(gateway, method, path, { 'x-api-key': key, ...upgrade });
      const seen: number[] = [];
      for (let index = 0; index < 22; index += 1) seen.push(await lost());
      assert.ok(!seen.slice(0, 10).includes(429), String(seen));
      assert.equal(seen.at(10), 429, String(seen));
      assert.equal((await send(gateway, key)).status, 429, 'the key is blocked');
    });

  test('refusals under an idempotency key count, and so do unknown models', async () => {
    for (const body of ['{"model":', CALL.replace('claude-sonnet-4-5', 'unknown-model')]) {
      const key = await newKey('idempotent');
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const seen = await statuses(21, () =>
        fetch(`${gateway.url}/v1/messages`, {
          method: 'POST',
          headers: { ...headers, 'idempotency-key': crypto.randomUUID() },
          body,
        }),
      );
      assert.ok(!seen.includes(200), String(seen));
      assert.equal((await send(gateway, key)).status, 429, 'the key is blocked');
    }
  });

  test('mistakes of an operator are not throttled', async () => {
    const headers = { authorization: `Bearer ${gateway.adminKey}` };
    const seen = await statuses(25, () => fetch(`${gateway.url}/admin/orgs/unknown`, { headers }));
    assert.deepEqual([...new Set(seen)], [404]);
  });

  test('guessed keys and unknown paths of an address are throttled; known keys and operators are not', async () => {
    const key = await newKey('known');
    assert.equal((await send(gateway, key)).status, 200);
    const guess = await statuses(30, () => send(gateway, 'sk-spill-guess'));
    assert.deepEqual([...new Set(guess)], [401, 429]);
    const lost = await statuses(2, () => fetch(`${gateway.url}/nowhere`));
    assert.deepEqual([...new Set(lost)], [429]);
    for (const path of ['/v1/models', '/v1/usage', '/admin/orgs', '/v1/messages']) {
      const method = path === '/v1/messages' ? 'POST' : 'GET';
      const missing = await statuses(2, () => fetch(gateway.url + path, { method }));
      assert.deepEqual([...new Set(missing)], [401], `${path} without a credential`);
    }
    assert.equal((await send(gateway, key)).status, 200);
    assert.equal((await fetch(`${gateway.url}/health`)).status, 200);
    await newKey('made by the operator');
  });

  test('a wrong admin key at a throttled address is 401 up to its own limit', async () => {
    await statuses(30, () => send(gateway, 'sk-spill-guess'));
    const headers = { authorization: 'Bearer not-the-admin-key' };
    const seen = await statuses(2, () => fetch(`${gateway.url}/admin/orgs`, { headers }));
    assert.deepEqual(seen, [401, 401]);
  });

  test('wrong admin keys are throttled per address, the right one passes', async () => {
    const guess = (): Promise<Response> =>
      send(gateway, 'x'.repeat(40), '/admin/orgs', '{"id":"x"}');
    const seen = await statuses(15, guess);
    assert.equal(seen.at(-1), 429);
    assert.ok(!seen.includes(201));
    await newKey('after the guesses');
  });
});

suite('connections', () => {
  test('connections of an address beyond the bound get CAPACITY_EXHAUSTED and are closed', async (context) => {
    const bounds = 'server: { maxConnections: 50, maxConnectionsPerAddress: 5 }\n';
    const gateway = await startTestGateway({}, () => SINGLE_ATTEMPTS + bounds);
    const sockets: Socket[] = [];
    context.after(async () => {
      for (const socket of sockets) socket.destroy();
      await gateway.close();
    });
    const open = async (): Promise<Socket> => {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      sockets.push(socket);
      await once(socket, 'connect');
      return socket;
    };
    // One connection of the set-up may still be open.
    for (let count = 0; count < 5; count += 1) await open();
    const refused = await open();
    const answer = await text(refused);
    assert.match(answer, /^HTTP\/1\.1 503 /);
    assert.match(answer, /CAPACITY_EXHAUSTED/);
    for (const socket of sockets.splice(0)) {
      socket.destroy();
      if (!socket.closed) await once(socket, 'close');
    }
    let status = 0;
    // The server sees the end of a connection a moment later.
    while (status !== 200)
      status = await fetch(`${gateway.url}/health`).then((each) => each.status);
    assert.equal(status, 200);
  });
});
