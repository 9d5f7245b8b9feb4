import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRedisRig, type RedisRig } from '../../../test/support/stores/redis-rig.ts';
import { loadConfig } from '../../config/load-config.ts';
import { redisCheck } from './redis.ts';

let rig: RedisRig;
before(async () => {
  rig = await openRedisRig();
});
after(() => rig.close());

async function verdictsOn(env: Record<string, string>) {
  const config = loadConfig({ env, cwd: import.meta.dirname });
  const location = { url: undefined, pid: undefined, adminKey: undefined, apiKey: undefined };
  return redisCheck.inspect({ config, location, isServerUp: false, now: Date.now() });
}

test('without REDIS_URL there is no verdict', async () => {
  assert.deepEqual(await verdictsOn({}), []);
});

test('a usable Redis is reported with its version', async () => {
  const [verdict] = await verdictsOn({ REDIS_URL: rig.url });
  assert.equal(verdict?.status, 'ok');
  assert.match(verdict.sentence, /^Redis \d+\.\d+\.\d+ at 127\.0\.0\.1:\d+ is usable\.$/);
});

test('a Redis that evicts keys or accepts no writes is reported with a remedy', async () => {
  await rig.outsider.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await rig.outsider.replicaof('127.0.0.1', 1);
  try {
    const verdicts = await verdictsOn({ REDIS_URL: rig.url });
    assert.deepEqual(
      verdicts.map(({ status }) => status),
      ['failed', 'warning'],
    );
  } finally {
    await rig.outsider.replicaof('NO', 'ONE');
    await rig.outsider.config('SET', 'maxmemory-policy', 'noeviction');
  }
});

test('a Redis that refuses the password or the connection is reported in one sentence', async () => {
  const url = new URL(rig.url);
  url.password = 'hunter2';
  const [wrong] = await verdictsOn({ REDIS_URL: url.href });
  assert.equal(wrong?.status, 'failed');
  assert.match(wrong.sentence, /refuses the user or the password in REDIS_URL\.$/);
  assert.doesNotMatch(wrong.sentence, /hunter2/);
  const [absent] = await verdictsOn({ REDIS_URL: 'redis://127.0.0.1:1' });
  assert.equal(absent?.status, 'failed');
  assert.match(absent.sentence, /cannot be used \(ECONNREFUSED\)/);
});

test('live servers with another key prefix are a warning', async () => {
  const key = 'other:ratelimit:servers';
  const env = { REDIS_URL: rig.url, REDIS_KEY_PREFIX: 'mine:dispatcher:ratelimit:' };
  try {
    await rig.outsider.zadd('mine:ratelimit:servers', Date.now(), 'a');
    await rig.outsider.zadd(key, Date.now() - 3_600_000, 'b');
    assert.equal((await verdictsOn(env))[0]?.status, 'ok');
    await rig.outsider.zadd(key, Date.now(), 'c');
    const [verdict] = await verdictsOn(env);
    assert.equal(verdict?.status, 'warning');
    assert.match(verdict.sentence, /prefix "other:", and this one uses "mine:"/);
  } finally {
    await rig.outsider.del(key, 'mine:ratelimit:servers');
  }
});
