// The link to Redis while its Redis is killed, frozen and another than it should be. An unhandled rejection or error
// event anywhere fails the test.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { createServer } from 'node:tls';
import { collectingLog } from '../../../../test/support/stores/rabbit-rig.ts';
import { openRedisRig, type RedisRig, until } from '../../../../test/support/stores/redis-rig.ts';
import { tempFolder } from '../../../../test/support/temp-folder.ts';
import type { RedisLink } from './open-redis.ts';
import { FOREIGN, whyForeign } from './same-store.ts';
import { placeOf, reasonOf, whyRefused } from './why-unusable.ts';

let rig: RedisRig;
before(async () => {
  rig = await openRedisRig();
});
after(() => rig.close());
afterEach(() => rig.service.restart());

function ping(link: RedisLink): Promise<string> {
  return link.run((redis) => redis.ping());
}

async function openReady(log = collectingLog()) {
  const link = rig.open({ log });
  await link.ready(10_000);
  assert.ok(link.isUp());
  return { link, told: () => log.entries.map(({ message }) => message.split(':')[0]) };
}

test('a Redis that is killed is refused at once, told once, and used again when it is back', async () => {
  const { link, told } = await openReady();
  assert.equal(await ping(link), 'PONG');
  await rig.service.kill('SIGKILL');
  await until(() => !link.isUp());
  for (let call = 0; call < 20; call += 1) await assert.rejects(ping(link), /Redis is away/);
  assert.deepEqual(told(), ['Redis is away']);
  await rig.service.restart();
  await until(() => link.isUp());
  assert.equal(await ping(link), 'PONG');
  assert.deepEqual(told(), ['Redis is away', 'Redis is back']);
  await link.close();
});

test('what is under way when Redis is killed is rejected and not sent again', async () => {
  const { link } = await openReady();
  const waiting = link.run((redis) => redis.blpop('nothing', 60), 30_000);
  const rejected = assert.rejects(waiting, /Redis did not do it/);
  await rig.service.kill('SIGKILL');
  await rejected;
  await link.close();
});

test('a Redis that hangs is not waited for, and is used again when it goes on', async () => {
  const { link, told } = await openReady();
  await rig.service.freeze();
  const calls = Array.from({ length: 20 }, () => assert.rejects(ping(link), /did not answer/));
  await Promise.all(calls);
  assert.ok(!link.isUp(), 'after some calls in vain the next is not even sent');
  await assert.rejects(ping(link), /Redis is away/);
  await rig.service.thaw();
  await until(() => link.isUp());
  assert.equal(await ping(link), 'PONG');
  assert.deepEqual(told(), ['Redis is away', 'Redis is back']);
  await link.close();
});

test('a Redis that hangs while nobody asks is found out all the same', async () => {
  const { link } = await openReady();
  await rig.service.freeze();
  await until(() => !link.isUp());
  await rig.service.thaw();
  await until(() => link.isUp());
  await link.close();
});

test('a link to a Redis that hangs, or was never there, is closed without waiting for it', async () => {
  const { link } = await openReady();
  await rig.service.freeze();
  const waiting = assert.rejects(ping(link));
  await link.close();
  await link.close();
  await waiting;
  await rig.service.thaw();
  const nowhere = rig.open({ url: 'redis://127.0.0.1:1' });
  await nowhere.ready(50);
  assert.equal(reasonOf(nowhere.lastFailure()), 'ECONNREFUSED');
  assert.equal(whyRefused(nowhere.lastFailure()), undefined);
  await nowhere.close();
});

test('a subscription goes on after the connection was lost, and its subscriber is told', async () => {
  const { link } = await openReady();
  const heard: string[] = [];
  let beginnings = 0;
  await link.subscribe('news', {
    hear: (message) => void heard.push(message),
    begin: () => {
      beginnings += 1;
    },
  });
  assert.equal(beginnings, 1);
  await link.run((redis) => redis.publish('news', 'before'));
  await until(() => heard.length === 1);
  await rig.service.restart();
  await until(() => link.isUp() && beginnings === 2);
  await link.run((redis) => redis.publish('news', 'after'));
  await until(() => heard.length === 2);
  assert.deepEqual(heard, ['before', 'after']);
  await link.close();
});

test('a wrong password is told as something that waiting does not mend', async () => {
  const url = new URL(rig.url);
  url.password = 'wrong';
  const link = rig.open({ url: url.href });
  await until(() => whyRefused(link.lastFailure()) !== undefined);
  assert.match(whyRefused(link.lastFailure()) ?? '', /refuses the user or the password/);
  assert.ok(!link.isUp());
  await link.close();
});

test('TLS that is asked of a Redis without it never becomes a connection', async () => {
  const log = collectingLog();
  const link = rig.open({ url: rig.url.replace('redis:', 'rediss:'), log });
  await link.ready(200);
  assert.ok(!link.isUp());
  assert.equal(log.entries.length, 1);
  await link.close();
});

test('a certificate that nobody vouches for is refused, and costs the process nothing', async (context) => {
  const certificate = await selfSigned(tempFolder(context));
  if (!certificate) return context.skip('there is no openssl to make one');
  const server = createServer(certificate).listen(0, '127.0.0.1');
  server.on('tlsClientError', () => {});
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  for (let time = 0; time < 5; time += 1) {
    const link = rig.open({ url: `rediss://127.0.0.1:${address.port}` });
    await link.ready(5000);
    assert.match(whyRefused(link.lastFailure()) ?? '', /self-signed/);
    await link.close();
  }
  server.close();
});

async function selfSigned(folder: string): Promise<{ key: Buffer; cert: Buffer } | undefined> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const wanted =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost';
  const openssl = spawn('openssl', [...wanted.split(' '), '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
  const isMade = await once(openssl, 'close').then(
    ([code]) => code === 0,
    () => false,
  );
  return isMade ? { key: await readFile(key), cert: await readFile(cert) } : undefined;
}

test('a Redis of another store is never used, also when it becomes one later', async () => {
  const own = (storeId: string) =>
    rig.open({ greet: (redis) => whyForeign(redis, 'test:', storeId) });
  const first = own('store-1');
  await first.ready(5000);
  assert.ok(first.isUp());
  const same = own('store-1');
  await same.ready(5000);
  assert.ok(same.isUp());
  const other = own('store-2');
  await until(() => other.refusal() === FOREIGN);
  assert.ok(!other.isUp());
  await rig.outsider.del('test:store-id');
  await until(async () => (await rig.outsider.get('test:store-id')) !== null);
  await rig.outsider.set('test:store-id', 'store-2');
  await until(() => !first.isUp() && !same.isUp() && other.isUp());
  await Promise.all([first.close(), same.close(), other.close()]);
});

test('a place is told without its password', () => {
  assert.equal(placeOf('redis://user:secret@cache:6380/2'), 'cache:6380/2');
  assert.equal(placeOf('rediss://cache'), 'cache');
});
