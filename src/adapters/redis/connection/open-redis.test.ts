// The connection to Redis while Redis is killed, frozen, or belongs to another store. An unhandled rejection or error event
// anywhere fails the test.

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
import { failureText, permanentFailure } from './failure-text.ts';
import type { RedisLink } from './open-redis.ts';
import { addressOf } from './redis-address.ts';
import { FOREIGN, verifyStore } from './verify-store.ts';

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
  return { link, logged: () => log.entries.map(({ message }) => message.split(':')[0]) };
}

test('commands are rejected at once while Redis is down, which is logged once, and run again afterwards', async () => {
  const { link, logged } = await openReady();
  assert.equal(await ping(link), 'PONG');
  await rig.service.kill('SIGKILL');
  await until(() => !link.isUp());
  for (let call = 0; call < 20; call += 1) await assert.rejects(ping(link), /Redis is unavailable/);
  assert.deepEqual(logged(), ['Redis is unavailable']);
  await rig.service.restart();
  await until(() => link.isUp());
  assert.equal(await ping(link), 'PONG');
  assert.deepEqual(logged(), ['Redis is unavailable', 'Redis is available again']);
  await link.close();
});

test('a command in flight when Redis is killed is rejected and not sent again', async () => {
  const { link } = await openReady();
  const waiting = link.run((redis) => redis.blpop('nothing', 60), 30_000);
  const rejected = assert.rejects(waiting, /Redis command failed/);
  await rig.service.kill('SIGKILL');
  await rejected;
  await link.close();
});

test('commands to a frozen Redis time out, and run again afterwards', async () => {
  const { link, logged } = await openReady();
  await rig.service.freeze();
  const calls = Array.from({ length: 20 }, () => assert.rejects(ping(link), /did not answer/));
  await Promise.all(calls);
  assert.ok(!link.isUp(), 'after several timeouts the next command is not sent');
  await assert.rejects(ping(link), /Redis is unavailable/);
  await rig.service.thaw();
  await until(() => link.isUp());
  assert.equal(await ping(link), 'PONG');
  assert.deepEqual(logged(), ['Redis is unavailable', 'Redis is available again']);
  await link.close();
});

test('the heartbeat detects a frozen Redis without any commands', async () => {
  const { link } = await openReady();
  await rig.service.freeze();
  await until(() => !link.isUp());
  await rig.service.thaw();
  await until(() => link.isUp());
  await link.close();
});

test('close does not wait for a frozen or unreachable Redis', async () => {
  const { link } = await openReady();
  await rig.service.freeze();
  const waiting = assert.rejects(ping(link));
  await link.close();
  await link.close();
  await waiting;
  await rig.service.thaw();
  const nowhere = rig.open({ url: 'redis://127.0.0.1:1' });
  await nowhere.ready(50);
  assert.equal(failureText(nowhere.lastFailure()), 'ECONNREFUSED');
  assert.equal(permanentFailure(nowhere.lastFailure()), undefined);
  await nowhere.close();
});

test('a subscription is renewed after a lost connection, and its subscriber is notified', async () => {
  const { link } = await openReady();
  const received: string[] = [];
  let subscribed = 0;
  await link.subscribe('channel', {
    onMessage: (message) => void received.push(message),
    onSubscribed: () => {
      subscribed += 1;
    },
  });
  assert.equal(subscribed, 1);
  await link.run((redis) => redis.publish('channel', 'before'));
  await until(() => received.length === 1);
  await rig.service.restart();
  await until(() => link.isUp() && subscribed === 2);
  await link.run((redis) => redis.publish('channel', 'after'));
  await until(() => received.length === 2);
  assert.deepEqual(received, ['before', 'after']);
  await link.close();
});

test('a wrong password is a permanent failure', async () => {
  const url = new URL(rig.url);
  url.password = 'wrong';
  const link = rig.open({ url: url.href });
  await until(() => permanentFailure(link.lastFailure()) !== undefined);
  assert.match(permanentFailure(link.lastFailure()) ?? '', /refuses the user or the password/);
  assert.ok(!link.isUp());
  await link.close();
});

test('a TLS connection to a Redis without TLS never becomes available', async () => {
  const log = collectingLog();
  const link = rig.open({ url: rig.url.replace('redis:', 'rediss:'), log });
  await link.ready(200);
  assert.ok(!link.isUp());
  assert.equal(log.entries.length, 1);
  await link.close();
});

test('an untrusted certificate is refused, and the process survives the socket errors', async (context) => {
  const certificate = await selfSigned(tempFolder(context));
  if (!certificate) return context.skip('openssl is not installed');
  const server = createServer(certificate).listen(0, '127.0.0.1');
  server.on('tlsClientError', () => {});
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  for (let time = 0; time < 5; time += 1) {
    const link = rig.open({ url: `rediss://127.0.0.1:${address.port}` });
    await link.ready(5000);
    assert.match(permanentFailure(link.lastFailure()) ?? '', /self-signed/);
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

test('a Redis of another store is not used, even when the store id changes later', async () => {
  const own = (storeId: string) =>
    rig.open({ verify: (redis) => verifyStore(redis, 'test:', storeId) });
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

test('an address contains no password', () => {
  assert.equal(addressOf('redis://user:secret@cache:6380/2'), 'cache:6380/2');
  assert.equal(addressOf('rediss://cache'), 'cache');
  assert.equal(addressOf('redis+sentinel://app:secret@a:1,b:2/main'), 'a:1,b:2/main');
});
