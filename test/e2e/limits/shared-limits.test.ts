// A provider limit that one gateway learns holds for all gateways on its Redis. The simulator's log is the evidence.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { Redis } from 'ioredis';
import { commonPrefix } from '../../../src/adapters/redis/rate-limits/rate-limit-keys.ts';
import { finishSpillway } from '../../support/gateway/spillway-process.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { servicesFromEnv, uniqueName } from '../../support/services/services-from-env.ts';

const services = servicesFromEnv(process.env);
const MODEL = 'claude-sonnet-5-5';
/** Limits have no prefix in Redis, so the region keeps this test to itself. */
const region = uniqueName('region');

suite('three gateways on one Redis', () => {
  let cluster: TestCluster;
  let urls: readonly string[];
  let redis: Redis;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'spillway-test-'));
    redis = new Redis(services.redisUrl);
    cluster = await openTestCluster(services, folder, { SERVER_REGION: region });
    const gateways = [];
    for (let count = 0; count < 3; count += 1) gateways.push(await cluster.start(['gateway']));
    urls = gateways.map(({ url }) => url);
  });
  after(async () => {
    await cluster.close();
    redis.disconnect();
    // Not before the servers have ended: they close their journals in it.
    rmSync(folder, { recursive: true, force: true });
  });

  test('a usage limit that one gateway meets stops calls of the others', async () => {
    const { simulator } = cluster;
    simulator.setScenario({ preset: 'usage-limit', resetInSeconds: 600 });
    const [first = ''] = urls;
    assert.equal((await call(first)).status, 429);
    for (const url of urls) while (!(await knowsLimit(url)));
    const asked = simulator.log().length;
    const calls = urls.flatMap((url) => Array.from({ length: 10 }, () => call(url)));
    for (const { status, headers } of await Promise.all(calls)) {
      assert.equal(status, 429);
      assert.ok(Number(headers.get('retry-after')) > 500);
    }
    assert.equal(simulator.log().length, asked);
    const key = `ai:limit:anthropic:${region}`;
    assert.ok((await redis.pttl(key)) > 500_000);
    simulator.resetScenario();
  });

  test('a limit that an operator clears at one server is cleared at all', async () => {
    const [first = ''] = urls;
    const answer = await fetch(`${first}/admin/limits/anthropic/${region}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${cluster.adminKey}` },
    });
    assert.equal(answer.status, 204);
    for (const url of urls) while ((await call(url)).status !== 200);
  });

  test('a server with another store is refused on this Redis', async () => {
    const { DATABASE_URL: _, RABBITMQ_URL: __, ...env } = cluster.env;
    const ended = await finishSpillway(['serve'], {
      ...env,
      SPILLWAY_DATA_DIR: `${folder}/another`,
    });
    assert.notEqual(ended.code, 0);
    assert.match(ended.errors, /belongs to another Spillway store; servers that share a Redis/);
    assert.equal(ended.errors.trim().split('\n').length, 1);
  });

  test('a provider key that one gateway finds refused is not sent by the others', async () => {
    const { simulator } = cluster;
    simulator.setScenario({ preset: 'credentials-refused' });
    const [first = ''] = urls;
    // The gateways have subscribed earlier, so their message is on its way when this one arrives.
    const announced = new Redis(services.redisUrl);
    await announced.subscribe(
      `${commonPrefix(cluster.env['REDIS_KEY_PREFIX'] ?? '')}credentials:changed`,
    );
    const news = once(announced, 'message');
    const before = simulator.log().length;
    assert.equal((await call(first)).status, 502);
    const [, text] = await news;
    announced.disconnect();
    assert.doesNotMatch(String(text), /provider-key/);
    for (const url of urls)
      for (let count = 0; count < 5; count += 1) assert.equal((await call(url)).status, 502);
    assert.equal(simulator.log().length - before, 1);
    simulator.resetScenario();
  });

  async function knowsLimit(url: string): Promise<boolean> {
    const headers = { authorization: `Bearer ${cluster.adminKey}` };
    const answer = await fetch(`${url}/admin/limits`, { headers });
    return (await answer.text()).includes(region);
  }

  function call(url: string): Promise<Response> {
    return fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': cluster.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: MODEL,
        max_tokens: 20,
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    });
  }
});
