// The Fastify plugin on real servers: the capacity decision, the error boundary, and the routing of an application's own
// routes to another server of the cluster.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import type { Gateway } from '../../../src/library/create-gateway.ts';
import { spillway } from '../../../src/library/fastify.ts';
import type { GatewaySettings } from '../../../src/library/gateway-options.ts';
import { servicesFromEnv, uniqueName } from '../../support/services/services-from-env.ts';
import { createTestDatabase } from '../../support/stores/isolated-postgres.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const MODEL = 'claude-sonnet-5-5';

type Opened = { readonly url: string; readonly gateway: Gateway; readonly runs: string[] };

/** An application with routes of its own around an embedded gateway. */
async function openApp(
  t: { after(fn: () => Promise<void>): void },
  settings: GatewaySettings = {},
  onRun: () => Promise<unknown> = async () => ({ isDone: true }),
): Promise<Opened> {
  const app = Fastify();
  const runs: string[] = [];
  const storage = { dataDir: makeTempFolder(), ...settings.storage };
  await app.register(spillway, {
    settings: { ...settings, storage },
    log: 'silent',
    mount: '/ai',
  });
  app.addHook('onRequest', async (_request, reply) => void reply.header('x-app', 'shop'));
  app.post('/work', { config: { spillway: { model: MODEL } } }, async (request, reply) => {
    runs.push(JSON.stringify(request.body));
    const result = await onRun();
    return reply.code(201).header('set-cookie', ['a=1', 'b=2']).send(result);
  });
  app.post('/plain', async () => onRun());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  return { url, gateway: app.spillway, runs };
}

function post(url: string, body: object = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: 'session=1' },
    body: JSON.stringify(body),
  });
}

async function limit({ url, gateway }: Opened, region = 'us-east'): Promise<void> {
  const response = await fetch(`${url}/ai/admin/limits/anthropic/${region}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${gateway.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ resetAt: Date.now() + 60_000 }),
  });
  assert.ok(response.ok, await response.text());
}

test('an own route runs while its model has capacity, and is refused with the reset while it has none', async (t) => {
  const app = await openApp(t);
  const done = await post(`${app.url}/work`, { text: 'a' });
  assert.equal(done.status, 201);
  assert.equal(done.headers.get('x-spillway-served-by'), app.gateway.serverId);
  assert.deepEqual(app.runs, ['{"text":"a"}']);
  await limit(app);
  assert.equal(app.gateway.checkCapacity(MODEL)?.code, 'AI_LIMIT_REACHED');
  const refused = await post(`${app.url}/work`);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('x-spillway-code'), 'AI_LIMIT_REACHED');
  assert.equal(refused.headers.get('x-app'), 'shop');
  assert.ok(Number(refused.headers.get('retry-after')) > 50);
  assert.equal(app.runs.length, 1);
});

test('the mounted endpoints serve calls under their prefix', async (t) => {
  const { url, gateway } = await openApp(t);
  const response = await fetch(`${url}/ai/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.apiKey ?? '', 'content-type': 'application/json' },
    body: JSON.stringify({
      model: MODEL,
      max_tokens: 10,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  });
  assert.equal(response.status, 200);
  assert.equal((await fetch(`${url}/ai/health`)).status, 200);
  assert.equal((await fetch(`${url}/aid`)).status, 404);
});

test('the boundary answers failures of all routes without their text', async (t) => {
  const secret = 'the account acct_secret of Anthropic';
  const failures: (() => unknown)[] = [
    () => new Error(secret),
    () => ({ status: 529, error: { type: 'overloaded_error', message: secret } }),
    () => Object.assign(new Error('This order is closed.'), { statusCode: 409, expose: true }),
  ];
  const { url } = await openApp(t, {}, async () => {
    throw failures.shift()?.();
  });
  const internal = await post(`${url}/plain`);
  assert.equal(internal.status, 500);
  const overloaded = await post(`${url}/work`);
  assert.equal(overloaded.headers.get('x-spillway-code'), 'PROVIDER_UNAVAILABLE');
  for (const response of [internal, overloaded])
    assert.doesNotMatch(await response.text(), /acct_secret|Anthropic/);
  const own = await post(`${url}/plain`);
  assert.equal(own.status, 409);
  assert.match(await own.text(), /This order is closed/);
  const malformed = await fetch(`${url}/plain`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{',
  });
  assert.equal(malformed.headers.get('x-spillway-code'), 'INVALID_REQUEST');
});

test('an own route has a slot until its response has closed', async (t) => {
  const { promise, resolve } = Promise.withResolvers<object>();
  const app = await openApp(t, { cluster: { maxConcurrentBuilds: 1 } }, () => promise);
  const first = post(`${app.url}/work`);
  while (app.runs.length === 0) await new Promise((next) => setTimeout(next, 5));
  const second = await post(`${app.url}/work`);
  assert.equal(second.headers.get('x-spillway-code'), 'CAPACITY_EXHAUSTED');
  resolve({});
  assert.equal((await first).status, 201);
});

test('a request that this server cannot take runs once at another server', async (t) => {
  const { redisUrl } = servicesFromEnv(process.env);
  const database = await createTestDatabase('plugin');
  t.after(() => database.drop());
  const name = uniqueName('plugin');
  const shared = (region: string): GatewaySettings => ({
    storage: {
      databaseUrl: database.url,
      redisUrl,
      redisKeyPrefix: `${name}:`,
      migrateOnStart: true,
    },
    auth: { adminKey: 'a'.repeat(32), apiKey: 'k'.repeat(32) },
    providers: { anthropic: { apiKey: 'key', baseUrl: 'http://127.0.0.1:1', region } },
    cluster: { region, routingEnabled: true, interServerSecrets: ['s'.repeat(32)] },
  });
  const one = await openApp(t, shared(`${name}-east`));
  const other = await openApp(t, shared(`${name}-west`));
  await limit(one, `${name}-east`);
  let routed = await post(`${one.url}/work`, { text: 'b' });
  assert.equal(routed.status, 201, await routed.text());
  assert.equal(routed.headers.get('x-spillway-served-by'), other.gateway.serverId);
  assert.deepEqual(routed.headers.getSetCookie(), ['a=1', 'b=2']);
  assert.equal(routed.headers.get('x-spillway-own-route'), null);
  assert.deepEqual([one.runs, other.runs], [[], ['{"text":"b"}']]);
  await limit(other, `${name}-west`);
  routed = await post(`${one.url}/work`);
  assert.equal(routed.headers.get('x-spillway-code'), 'AI_LIMIT_REACHED');
});
