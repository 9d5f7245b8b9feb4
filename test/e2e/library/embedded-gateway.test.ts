// The gateway inside a program: mounted in the program's server, several in one process, and closed without a trace.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { createGateway, type Gateway } from '../../../src/library/create-gateway.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

function open(settings: object = {}): Promise<Gateway> {
  return createGateway({
    settings: { storage: { dataDir: makeTempFolder() }, ...settings },
    log: 'silent',
  });
}

async function mount(gateway: Gateway, prefix?: string): Promise<{ server: Server; url: string }> {
  const spillway = gateway.handler(prefix);
  const server = createServer((request, response) => {
    if (!spillway(request, response)) response.end('the application');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  return { server, url: `http://127.0.0.1:${address.port}` };
}

function call(url: string, key = '', body: object = {}): Promise<Response> {
  const messages = [{ role: 'user', content: 'Hi' }];
  return fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'claude-sonnet-5-5', max_tokens: 9, messages, ...body }),
  });
}

test('a gateway serves the paths under its prefix in the server of a program', async (t) => {
  const gateway = await open();
  const { server, url } = await mount(gateway, '/ai');
  t.after(() => gateway.close().finally(() => server.close()));
  assert.equal((await call(`${url}/ai`, gateway.apiKey)).status, 200);
  assert.equal(await (await fetch(`${url}/airport`)).text(), 'the application');
  assert.equal((await fetch(`${url}/ai/health?a=1`)).status, 200);
  assert.notEqual(await (await fetch(`${url}/ai?a=1`)).text(), 'the application');
  assert.throws(() => gateway.handler('ai'), RangeError);
});

test('closing waits for a call in flight and refuses later ones', async () => {
  const gateway = await open();
  const { server, url } = await mount(gateway);
  const stream = await call(url, gateway.apiKey, { stream: true, max_tokens: 200 });
  const closed = gateway.close();
  const refused = await call(url, gateway.apiKey);
  assert.equal(refused.headers.get('x-spillway-code'), 'CAPACITY_EXHAUSTED');
  assert.match(await stream.text(), /message_stop/);
  await closed;
  await gateway.close();
  server.close();
});

test('two gateways in one process have separate keys, stores and limits', async (t) => {
  const [one, other] = await Promise.all([open(), open()]);
  t.after(() => Promise.all([one.close(), other.close()]).then(() => undefined));
  const settings = { server: { port: 0 } };
  const third = await open(settings);
  t.after(() => third.close());
  const [first, second] = await Promise.all([mount(one), mount(other)]);
  t.after(() => void [first, second].map(({ server }) => server.close()));
  assert.notEqual(one.apiKey, other.apiKey);
  assert.equal((await call(first.url, one.apiKey)).status, 200);
  assert.equal((await call(second.url, one.apiKey)).status, 401);
  assert.equal((await call(await third.listen(), third.apiKey)).status, 200);
});

test('wrong settings are refused with one sentence', async () => {
  await assert.rejects(open({ server: { port: 'abc' } }), {
    name: 'ConfigError',
    message: 'server.port in settings is "abc", but it must be a whole number from 0 to 65535.',
  });
  await assert.rejects(open({ sever: {} }), { name: 'ConfigError' });
  await assert.rejects(createGateway({ settings: {}, configFile: 'spillway.yaml' }), TypeError);
});

test('a program ends by itself after it has closed its gateway', () => {
  const script = `
    import { createGateway } from '${join(ROOT, 'src/library/index.ts')}';
    const gateway = await createGateway({
      settings: { storage: { dataDir: ${JSON.stringify(makeTempFolder())} }, server: { port: 0 } },
      log: 'silent',
    });
    const url = await gateway.listen();
    const answer = await fetch(url + '/v1/messages', {
      method: 'POST',
      headers: { 'x-api-key': gateway.apiKey },
      body: JSON.stringify({ model: 'claude-sonnet-5-5', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }),
    });
    await answer.text();
    await gateway.close();
    console.log(answer.status);`;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--input-type=module-typescript', '--eval', script],
    { encoding: 'utf8', timeout: 30_000 },
  );
  // A handle that is still open would keep the program running into the timeout.
  assert.equal(status, 0, stderr);
  assert.equal(stdout.trim(), '200');
});
