// The registry on a real Redis. Redis' clock cannot be moved, so the passage of time is written into its records: every
// heartbeat becomes older and every key lives shorter by that much.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { recordOf, serverRegistryContract } from '../../../../test/contract/server-registry.ts';
import { openRedisRig, type RedisRig, until } from '../../../../test/support/stores/redis-rig.ts';
import { RECORD_LIFETIME_MS } from '../../../cluster/server-registry.ts';
import type { RedisLink } from '../connection/open-redis.ts';
import { createRedisServerRegistry } from './server-registry.ts';

const PREFIX = 'test:';
let rig: RedisRig;
before(async () => {
  rig = await openRedisRig();
});
after(() => rig.close());

async function openRegistry(link: RedisLink = rig.open()) {
  await link.ready(5000);
  return createRedisServerRegistry({ link, keyPrefix: PREFIX, lifetimeMs: RECORD_LIFETIME_MS });
}

async function pass(ms: number): Promise<void> {
  const { outsider } = rig;
  for (const key of await outsider.keys(`${PREFIX}servers:*`)) {
    const ttlMs = await outsider.pttl(key);
    if (ttlMs > ms) await outsider.pexpire(key, ttlMs - ms);
    else if (ttlMs > 0) await outsider.del(key);
  }
  const scored = await outsider.zrange(`${PREFIX}servers:index`, '0', '-1', 'WITHSCORES');
  for (let at = 0; at < scored.length; at += 2) {
    const [id = '', beat] = [scored[at], Number(scored[at + 1])];
    await outsider.zadd(`${PREFIX}servers:index`, beat - ms, id);
    const key = `${PREFIX}servers:info:${id}`;
    const record: object = JSON.parse((await outsider.get(key)) ?? '{}');
    const aged = { ...record, lastHeartbeat: beat - ms };
    await outsider.call('SET', key, JSON.stringify(aged), 'XX', 'KEEPTTL');
  }
}

serverRegistryContract('Redis', async () => {
  await rig.outsider.flushall();
  return { registry: await openRegistry(), pass };
});

test('a record is readable JSON under servers:info:{id} and expires after a minute', async () => {
  await rig.outsider.flushall();
  await (await openRegistry()).announce(recordOf('srv'));
  const record: unknown = JSON.parse((await rig.outsider.get('test:servers:info:srv')) ?? '');
  const { lastHeartbeat, ...fields } = Object(record);
  assert.deepEqual(fields, JSON.parse(JSON.stringify(recordOf('srv'))));
  assert.equal(typeof lastHeartbeat, 'number');
  const ttlMs = await rig.outsider.pttl('test:servers:info:srv');
  assert.ok(ttlMs > 50_000 && ttlMs <= 60_000, String(ttlMs));
});

test('a server whose limits name half of a surrogate pair stays announced', async () => {
  await rig.outsider.flushall();
  const registry = await openRegistry();
  const region = 'us-east:some-model\ud800';
  const entries = [{ subject: 'limit', provider: 'openai', region, forMs: 1 }] as const;
  const server = { ...recordOf('srv'), opinion: { entries, refusedAccounts: [] } };
  await registry.announce(server);
  await registry.announce(server);
  assert.equal((await registry.list()).servers.length, 1);
});

test('text that is not a record is not listed', async () => {
  await rig.outsider.flushall();
  const registry = await openRegistry();
  await registry.announce(recordOf('good'));
  await rig.outsider.zadd('test:servers:index', Date.now(), 'bad');
  for (const text of ['{', '{"id":"bad"}', '[]']) {
    await rig.outsider.set('test:servers:info:bad', text);
    assert.deepEqual(
      (await registry.list()).servers.map(({ id }) => id),
      ['good'],
    );
  }
});

test('every method rejects while Redis is unavailable, and followers are notified when it is back', async () => {
  const registry = await openRegistry();
  let notices = 0;
  await registry.follow(() => {
    notices += 1;
  });
  await rig.service.kill('SIGKILL');
  await until(async () => (await registry.list().catch(() => 'rejected')) === 'rejected');
  await assert.rejects(registry.announce(recordOf('a')));
  await assert.rejects(registry.setMode('a', 'draining'));
  await assert.rejects(registry.acquireLease('x', 'a', 1000));
  const before = notices;
  await rig.service.restart();
  await until(() => notices > before);
  await until(() =>
    registry.announce(recordOf('a')).then(
      () => true,
      () => false,
    ),
  );
});
