// Provider limits that three servers share on a real Redis.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import * as fc from 'fast-check';
import { providerLimitsContract } from '../../../../test/contract/provider-limits.ts';
import {
  openRedisRig,
  type RedisRig,
  type SharedServer,
  until,
} from '../../../../test/support/stores/redis-rig.ts';
import type { ProviderLimit } from '../../../admission/provider-limits.ts';
import { encodeLimit } from './limit-record.ts';

let rig: RedisRig;
before(async () => {
  rig = await openRedisRig();
});
after(() => rig.close());

providerLimitsContract('Redis', () => rig.openServer());

const SCOPE = { provider: 'anthropic', region: 'us-east' };
const KEY = 'ai:limit:anthropic:us-east';
const REFRESH_MS = 6000;

function limitFor(ms: number, fields: Partial<ProviderLimit> = {}): ProviderLimit {
  const setAt = Date.now();
  const stated = { resetAt: setAt + ms, setBy: 'srv-1', setAt, kind: 'learnt' } as const;
  return { ...SCOPE, ...stated, requestId: 'req_1', ...fields };
}

function knownBy({ limits }: SharedServer, limit: ProviderLimit) {
  return limits.active({ ...limit, model: limit.model ?? 'a-model' });
}

function allKnow(servers: readonly SharedServer[], limit: ProviderLimit): Promise<void> {
  return until(() => servers.every((server) => knownBy(server, limit)?.resetAt === limit.resetAt));
}

function noneKnows(servers: readonly SharedServer[], limit: ProviderLimit): Promise<void> {
  return until(() => servers.every((server) => knownBy(server, limit) === undefined));
}

describe('three servers on one Redis', () => {
  let first: SharedServer;
  let servers: SharedServer[] = [];
  beforeEach(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await rig.outsider.flushall();
    first = await rig.openServer();
    servers = [first, await rig.openServer(), await rig.openServer()];
  });

  test('a limit set or cleared on one server reaches the others at once', async () => {
    const limit = limitFor(60_000, { model: 'claude' });
    await first.limits.set(limit);
    await allKnow(servers, limit);
    await first.limits.clear({ ...SCOPE, model: 'claude' });
    await noneKnows(servers, limit);
  });

  test('the record has its documented key, its fields and a time to live', async () => {
    const limit = limitFor(60_000);
    await first.limits.set(limit);
    const text = await rig.outsider.get(KEY);
    assert.deepEqual(JSON.parse(text ?? ''), { active: true, ...limit });
    const lives = (await rig.outsider.pttl(KEY)) - (limit.resetAt - Date.now());
    assert.ok(lives > 0 && lives <= 1500, `it outlives its limit by ${lives} ms`);
    const bound = limitFor(60_000, { model: 'ft:gpt-5:acme' });
    await first.limits.set(bound);
    assert.equal(await rig.outsider.exists(`${KEY}:ft:gpt-5:acme`), 1);
  });

  test('key and region of the record name the account, and a later server reads them back', async () => {
    const limit = limitFor(60_000, { account: 'second', model: 'ft:gpt-5:acme' });
    await first.limits.set(limit);
    const text = await rig.outsider.get('ai:limit:anthropic:us-east/second:ft:gpt-5:acme');
    assert.equal(JSON.parse(text ?? '').region, 'us-east/second');
    const late = await rig.openServer();
    assert.deepEqual(await late.limits.list(), [limit]);
    await late.close();
  });

  test('the record of a limit that is nearly over lives for at least a second', async () => {
    await first.limits.set(limitFor(50));
    assert.ok((await rig.outsider.pttl(KEY)) > 900);
  });

  test('a server that starts later knows the limits in Redis', async () => {
    const limit = limitFor(60_000);
    await first.limits.set(limit);
    const late = await rig.openServer();
    assert.deepEqual(knownBy(late, limit), limit);
    await late.close();
  });

  test('concurrent sets leave all servers and Redis with the latest end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 60_000, max: 90_000 }), { minLength: 2 }), check),
      { numRuns: 30 },
    );
    async function check(waits: readonly number[]): Promise<void> {
      const model = `m-${Math.random()}`;
      const wanted = waits.map((ms, index) => limitFor(ms, { model, setBy: `srv-${index}` }));
      await Promise.all(
        wanted.map(async (limit, index) => servers[index % servers.length]?.limits.set(limit)),
      );
      const latest = Math.max(...wanted.map(({ resetAt }) => resetAt));
      await allKnow(servers, limitFor(0, { model, resetAt: latest }));
      const stored: unknown = JSON.parse((await rig.outsider.get(`${KEY}:${model}`)) ?? '');
      assert.ok(stored instanceof Object && 'resetAt' in stored);
      assert.equal(stored.resetAt, latest);
    }
  });

  test('concurrent sets and clears leave all servers in agreement with Redis', async () => {
    const limit = limitFor(60_000);
    for (let round = 0; round < 50; round += 1) {
      const changes = servers.map(({ limits }, index) =>
        Math.random() < 0.4
          ? limits.clear(SCOPE)
          : limits.set({
              ...limit,
              resetAt: limit.resetAt + Math.random() * 1000,
              setBy: `${index}`,
            }),
      );
      await Promise.all(changes);
      const there = await rig.outsider.get(KEY);
      await until(() =>
        servers.every((server) => {
          const known = knownBy(server, limit);
          return known ? encodeLimit(known) === there : there === null;
        }),
      );
    }
  });

  test('the servers restore a limit to a flushed Redis at the next refresh', async () => {
    const limit = limitFor(60_000);
    await first.limits.set(limit);
    await allKnow(servers, limit);
    await rig.outsider.flushall();
    await Promise.all(servers.map(({ clock }) => clock.advance(REFRESH_MS)));
    await until(async () => (await rig.outsider.exists(KEY)) === 1);
    assert.ok((await rig.outsider.pttl(KEY)) > 0);
    assert.ok(servers.every((server) => knownBy(server, limit)));
  });

  test('the servers restore a limit to a flushed Redis when a new limit is published', async () => {
    const limit = limitFor(60_000);
    await first.limits.set(limit);
    await allKnow(servers, limit);
    await rig.outsider.flushall();
    await servers[1]?.limits.set(limitFor(60_000, { provider: 'openai' }));
    await until(async () => (await rig.outsider.exists(KEY)) === 1);
  });

  test('the next refresh repairs a lost message', async () => {
    const limit = limitFor(60_000);
    await rig.outsider.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await first.limits.set(limit);
    await Promise.all(servers.map(({ clock }) => clock.advance(REFRESH_MS)));
    await allKnow(servers, limit);
  });

  test('a record that an operator writes to Redis takes effect on all servers after one server refreshes', async () => {
    const limit = limitFor(60_000, { setBy: 'ops', kind: 'manual' });
    await rig.outsider.set(KEY, encodeLimit(limit));
    await first.clock.advance(REFRESH_MS);
    await allKnow(servers, limit);
    assert.ok((await rig.outsider.pttl(KEY)) > 0, 'the refresh sets the missing time to live');
    await rig.outsider.del(KEY);
    await first.clock.advance(REFRESH_MS);
    await noneKnows(servers, limit);
  });

  test('an invalid record changes nothing and is overwritten by the next limit', async () => {
    for (const invalid of ['not JSON', '[]', '{"active":true}', '{"resetAt":"soon"}']) {
      await rig.outsider.set(KEY, invalid);
      await first.clock.advance(REFRESH_MS);
      await first.limits.list();
      assert.equal(knownBy(first, limitFor(0)), undefined);
    }
    const limit = limitFor(60_000);
    await first.limits.set(limit);
    await allKnow(servers, limit);
    await rig.outsider.del(KEY);
    await rig.outsider.lpush(KEY, 'of another type');
    await first.limits.set({ ...limit, resetAt: limit.resetAt + 1 });
    assert.equal(
      await rig.outsider.get(KEY),
      encodeLimit({ ...limit, resetAt: limit.resetAt + 1 }),
    );
  });

  test('a refresh deletes an expired record', async () => {
    const limit = limitFor(-1000, { setBy: 'ops' });
    await rig.outsider.set(KEY, encodeLimit(limit));
    await first.clock.advance(REFRESH_MS);
    await until(async () => (await rig.outsider.exists(KEY)) === 0);
    assert.equal(knownBy(first, limit), undefined);
  });

  test('a limit that is over by the clock of Redis applies until it is over by its own', async () => {
    const slow = first;
    // The test's clock stands still while the real one runs.
    const limit = limitFor(1, { resetAt: slow.clock.now() + 1 });
    await until(() => Date.now() > limit.resetAt);
    await slow.limits.set(limit);
    assert.deepEqual(knownBy(slow, limit), limit);
    await slow.clock.advance(1);
    assert.equal(knownBy(slow, limit), undefined);
  });

  test('a burst of 500 refusals makes fewer than 20 writes', async () => {
    const before = await calls('eval');
    const burst = Array.from({ length: 500 }, (_, index) => limitFor(60_000 + index));
    await Promise.all(burst.map((limit) => first.limits.set(limit)));
    assert.ok((await calls('eval')) - before < 20);
    await allKnow(servers, burst.at(-1) ?? limitFor(0));
  });
});

async function calls(command: string): Promise<number> {
  const stats = await rig.outsider.info('commandstats');
  const counts = stats.matchAll(new RegExp(`cmdstat_${command}\\w*:calls=(\\d+)`, 'g'));
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
