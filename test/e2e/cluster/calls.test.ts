// Calls on three gateways that share PostgreSQL and Redis: one idempotency key is one call on any server, and
// a provider limit learnt by one server stops concurrent calls on all. Checked against the simulator's truth
// log.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { after, before, beforeEach, suite, test } from 'node:test';
import { Redis } from 'ioredis';
import {
  ask,
  type Caller,
  CLAUDE,
  errorOf,
  newTenant,
  usageOf,
} from '../../support/gateway/call-rig.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { raiseLimits } from '../../support/gateway/test-gateway.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const services = servicesFromEnv(process.env);
const REQUESTS = 1000;
const LANES = 20;

suite('three gateways that share all stores', () => {
  let cluster: TestCluster;
  let places: readonly Caller[];
  let redis: Redis;
  let folder: string;
  before(async () => {
    folder = makeTempFolder();
    redis = new Redis(services.redisUrl);
    cluster = await openTestCluster(services, folder, { ANTHROPIC_RATE_LIMIT: '1000000' });
    const urls = [];
    for (let count = 0; count < 3; count += 1) urls.push((await cluster.start(['gateway'])).url);
    await raiseLimits(urls[0] ?? '', cluster.adminKey);
    places = urls.map((url) => ({ url, apiKey: cluster.apiKey }));
  });
  beforeEach(() => {
    cluster.simulator.resetScenario();
    cluster.simulator.clearLog();
  });
  after(async () => {
    await cluster.close();
    redis.disconnect();
    rmSync(folder, { recursive: true, force: true });
  });

  test('fifty concurrent calls with one idempotency key are one call and one charge', async () => {
    const [first] = places;
    assert.ok(first);
    const tenant = await newTenant({ url: first.url, adminKey: cluster.adminKey });
    cluster.simulator.setScenario({ latencyMs: 200 });
    const headers = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        ask({ url: places[index % 3]?.url ?? '', apiKey: tenant.apiKey }, { headers }),
      ),
    );
    const made = answers.filter(
      ({ status, headers: told }) => status === 200 && told.get('idempotent-replayed') === null,
    );
    assert.equal(made.length, 1);
    for (const answer of answers) {
      if (answer.status === 200) assert.equal(answer.text, made[0]?.text);
      else assert.deepEqual([answer.status, errorOf(answer).code], [409, 'CONFLICT'], answer.text);
    }
    assert.equal(cluster.simulator.log().length, 1);
    for (const { url } of places) {
      const again = await ask({ url, apiKey: tenant.apiKey }, { headers });
      assert.equal(again.text, made[0]?.text);
    }
    assert.equal((await usageOf(tenant, 1)).attempts, 1);
    assert.equal(cluster.simulator.log().length, 1);
  });

  test('a limit met by one gateway stops concurrent calls at the others', async (context) => {
    for (const place of places) assert.equal((await ask(place)).status, 200);
    cluster.simulator.clearLog();
    cluster.simulator.setScenario({ preset: 'usage-limit', resetInSeconds: 600 });
    const [first] = places;
    assert.ok(first);
    assert.equal((await ask(first)).status, 429);
    while ((await redis.exists(`ai:limit:anthropic:${cluster.env['SERVER_REGION']}`)) === 0);
    // Another model under the same limit distinguishes these calls from the first in the log.
    const model = 'claude-haiku-4-5';
    assert.notEqual(model, CLAUDE);
    const lanes = places.flatMap((place) => Array.from({ length: LANES }, () => place));
    await Promise.all(
      lanes.map(async (place) => {
        for (let turn = 0; turn < REQUESTS / lanes.length; turn += 1) {
          const answer = await ask(place, { model });
          assert.deepEqual([answer.status, errorOf(answer).code], [429, 'AI_LIMIT_REACHED']);
        }
      }),
    );
    const late = cluster.simulator.log().filter((entry) => entry.model === model).length;
    context.diagnostic(`${late} of ${REQUESTS} requests reached the provider`);
    assert.ok(late <= places.length, `${late} calls`);
  });
});
