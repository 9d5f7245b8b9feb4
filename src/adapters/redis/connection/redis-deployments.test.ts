// The connection to a Redis as users run it: with TLS, with an access list, and behind Sentinels.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import {
  LOCALHOST_CERTIFICATE,
  LOCALHOST_KEY,
} from '../../../../test/support/localhost-certificate.ts';
import { until } from '../../../../test/support/stores/redis-rig.ts';
import { startRedis, startSentinelSet } from '../../../../test/support/stores/redis-topology.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { silentLog } from '../../../kernel/log.ts';
import { permanentFailure } from './failure-text.ts';
import { inspectRedis } from './inspect-redis.ts';
import { openRedis, type RedisLink } from './open-redis.ts';
import { createRenewEpochs } from './renew-epochs.ts';

const repository = join(import.meta.dirname, '../../../..');

function open(url: string, ca?: readonly string[]): RedisLink {
  return openRedis({ url, ca, clock: systemClock, log: silentLog });
}

const ping = (link: RedisLink) => link.run((redis) => redis.ping(), 5000);

test('rediss:// with the authority of the certificate connects, and without it is refused', async () => {
  const server = await startRedis(
    (port) => [
      'port 0',
      `tls-port ${port}`,
      'tls-cert-file cert.pem',
      'tls-key-file key.pem',
      'tls-ca-cert-file cert.pem',
      'tls-auth-clients no',
    ],
    { 'cert.pem': LOCALHOST_CERTIFICATE, 'key.pem': LOCALHOST_KEY },
  );
  const url = `rediss://localhost:${server.port}`;
  const trusting = open(url, [LOCALHOST_CERTIFICATE]);
  await trusting.ready(10_000);
  assert.equal(await ping(trusting), 'PONG');
  const distrusting = open(url);
  await distrusting.ready(10_000);
  assert.match(permanentFailure(distrusting.lastFailure()) ?? '', /self-signed/);
  await Promise.all([trusting.close(), distrusting.close()]);
  await server.close();
});

test('the documented access list has every command of the adapter', () => {
  const allowed = new Set(documentedCommands());
  const used = usedCommands();
  assert.ok(used.length > 30, 'the search for commands in the sources finds them');
  assert.deepEqual(
    used.filter((command) => !allowed.has(command)),
    [],
  );
});

test('a user with the documented access list connects, subscribes and is inspected', async () => {
  const server = await startRedis(() => [documentedUser(), 'user default off']);
  const address = { url: `redis://spillway:secret@127.0.0.1:${server.port}` };
  const link = open(address.url);
  await link.ready(10_000);
  assert.equal(await ping(link), 'PONG');
  let subscribed = 0;
  const onSubscribed = () => void (subscribed += 1);
  await link.subscribe('spillway:servers:changed', { onMessage() {}, onSubscribed });
  assert.equal(subscribed, 1);
  await assert.rejects(
    link.run((redis) => redis.flushall()),
    /NOPERM/,
  );
  await assert.rejects(
    link.run((redis) => redis.get('foreign')),
    /NOPERM/,
  );
  assert.equal((await inspectRedis(address, systemClock)).role, 'master');
  await link.close();
  await server.close();
});

test('Sentinels lead to the promoted replica after a crash of the primary', async () => {
  const set = await startSentinelSet();
  const link = open(set.url);
  await link.ready(10_000);
  const received: string[] = [];
  await link.subscribe('news', {
    onMessage: (message) => void received.push(message),
    onSubscribed() {},
  });
  await link.run((redis) => redis.set('key', 'kept'));
  await until(async () => (await set.replica.get('key')) === 'kept');
  await set.primary.kill('SIGKILL');
  await until(() => !link.isUp());
  await until(() => link.isUp());
  assert.equal(await link.run((redis) => redis.get('key')), 'kept');
  await link.run((redis) => redis.set('key', 'written to the new primary'));
  assert.equal(await set.replica.get('key'), 'written to the new primary');
  await until(async () => {
    await set.replica.publish('news', 'after');
    return received.includes('after');
  });
  await link.close();
  await set.close();
});

test('a wrong name and a wrong password of the Sentinels are named', async () => {
  const set = await startSentinelSet();
  const failureOf = async (url: string) => {
    const link = open(url);
    await link.ready(10_000);
    await link.close();
    return permanentFailure(link.lastFailure());
  };
  assert.match(
    (await failureOf(set.url.replace('/main', '/other'))) ?? '',
    /no primary of the name/,
  );
  const wrong = set.url.replace('sentinelPassword=', 'sentinelPassword=wrong-');
  assert.match((await failureOf(wrong)) ?? '', /refuse sentinelUsername or sentinelPassword/);
  await set.close();
});

test('epochs are deleted once when another process serves the data', async () => {
  const server = await startRedis(() => []);
  const client = new Redis({ port: server.port });
  const renewals = [1, 2].map(() => createRenewEpochs('test:', ['first', 'second']));
  await client.mset('test:run-id', 'the primary that died', 'first', '1', 'second', '2');
  for (const renew of renewals) {
    await renew(client);
    assert.deepEqual(await client.mget('first', 'second'), [null, null]);
    await client.del('first');
  }
  await client.set('first', 'the new epoch');
  for (const renew of renewals) await renew(client);
  assert.equal(await client.get('first'), 'the new epoch');
  client.disconnect();
  await server.close();
});

/** The line `user spillway …` of docs/redis.md. */
function documentedUser(): string {
  const text = readFileSync(join(repository, 'docs/redis.md'), 'utf8');
  const line = /^user spillway (?:.*\\\n)*.*$/m.exec(text)?.[0].replaceAll(/\s*\\\n\s*/g, ' ');
  assert.ok(line, 'docs/redis.md has the line of the user');
  return line;
}

function documentedCommands(): string[] {
  return [...documentedUser().matchAll(/\+([a-z]+)(?:\|\w+)?/g)].map(([, name = '']) => name);
}

/** Commands of the Lua scripts and of the driver's methods, as they stand in the sources. */
function usedCommands(): string[] {
  const files = globSync('src/adapters/redis/**/*.ts', { cwd: repository });
  const sources = files.filter((file) => !file.endsWith('.test.ts'));
  const commands = sources.flatMap((file) => {
    const text = readFileSync(join(repository, file), 'utf8');
    return [...inScripts(text), ...ofDriver(text)];
  });
  return [...new Set(commands)].toSorted();
}

function inScripts(text: string): string[] {
  const calls = text.matchAll(/redis\.p?call\('([A-Za-z]+)'/g);
  return [...calls].map(([, name = '']) => name.toLowerCase());
}

function ofDriver(text: string): string[] {
  const chains = [...text.matchAll(/\.multi\(\)[\s\S]*?\.exec\(/g)].flatMap(([chain]) => [
    ...chain.matchAll(/\.([a-z]+)\(/g),
  ]);
  // `redis.call` is of the scripts.
  const calls = text.matchAll(/\bredis\.(?!p?call\()([a-z]+)\(/g);
  const names = [...chains, ...calls].map(([, name = '']) => name);
  return names.filter((name) => name in Redis.prototype);
}
