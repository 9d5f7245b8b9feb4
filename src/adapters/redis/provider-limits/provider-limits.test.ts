// One learns, all know: three servers on a real Redis of their own.

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

const KEY = 'ai:limit:anthropic:us-east';
const REFRESH_MS = 6000;

function limitFor(ms: number, fields: Partial<ProviderLimit> = {}): ProviderLimit {
  const setAt = Date.now();
  const place = { provider: 'anthropic', region: 'us-east' };
  return { ...place, resetAt: setAt + ms, setBy: 'srv-1', setAt, kind: 'learnt', ...fields };
}

function knownBy({ limits }: SharedServer, { provider, region, model }: ProviderLimit) {
  return limits.active(provider, region, model ?? 'a-model');
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

  test('what one learns the others are told at once, and all take it back at once', async () => {
    const limit = limitFor(60_000, { model: 'claude' });
    await first.limits.set(limit);
    await allKnow(servers, limit);
    await first.limits.clear('anthropic', 'us-east', 'claude');
    await noneKnows(servers, limit);
  });

  test('the record stands under its documented name, with its fields and a time to live', async () => {
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

  test('a record of a limit that is nearly over lives for a second at least', async () => {
    await first.limits.set(limitFor(50));
    assert.ok((await rig.outsider.pttl(KEY)) > 900);
  });

  test('a server that starts later knows what was learnt before', async () => {
    const limit = limitFor(60_000);
    await first.limits.set(limit);
    const late = await rig.openServer();
    assert.deepEqual(knownBy(late, limit), limit);
    await late.close();
  });

  test('however many set it at once, all servers and Redis end with the latest', async () => {
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

  test('whatever is set and cleared at once, all servers end with what is in Redis', async () => {
    const limit = limitFor(60_000);
    for (let round = 0; round < 50; round += 1) {
      const doings = servers.map(({ limits }, index) =>
        Math.random() < 0.4
          ? limits.clear('anthropic', 'us-east')
          : limits.set({
              ...limit,
              resetAt: limit.resetAt + Math.random() * 1000,
              setBy: `${index}`,
            }),
      );
      await Promise.all(doings);
      const there = await rig.outsider.get(KEY);
      await until(() =>
        servers.every((server) => {
          const known = knownBy(server, limit);
          return known ? encodeLimit(known) === there : there === null;
        }),
      );
    }
  });

  test('a Redis that was flushed is told again by those who know', async () => {
    const limit = limitFor(60_000);
    await first.limits.set(limit);
    await allKnow(servers, limit);
    await rig.outsider.flushall();
    await Promise.all(servers.map(({ clock }) => clock.advance(REFRESH_MS)));
    await until(async () => (await rig.outsider.exists(KEY)) === 1);
    assert.ok((await rig.outsider.pttl(KEY)) > 0);
    assert.ok(servers.every((server) => knownBy(server, limit)));
  });

  test('a Redis that was flushed is told again when another server learns something new', async () => {
    const limit = limitFor(60_000);
    await first.limits.set(limit);
    await allKnow(servers, limit);
    await rig.outsider.flushall();
    await servers[1]?.limits.set(limitFor(60_000, { provider: 'openai' }));
    await until(async () => (await rig.outsider.exists(KEY)) === 1);
  });

  test('a message that was missed is made good by the next look', async () => {
    const limit = limitFor(60_000);
    await rig.outsider.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await first.limits.set(limit);
    await Promise.all(servers.map(({ clock }) => clock.advance(REFRESH_MS)));
    await allKnow(servers, limit);
  });

  test('what an operator writes into Redis is honoured at the next look, and told to all', async () => {
    const limit = limitFor(60_000, { setBy: 'ops', kind: 'manual' });
    await rig.outsider.set(KEY, encodeLimit(limit));
    await first.clock.advance(REFRESH_MS);
    await allKnow(servers, limit);
    assert.ok((await rig.outsider.pttl(KEY)) > 0, 'it is given the time to live it lacked');
    await rig.outsider.del(KEY);
    await first.clock.advance(REFRESH_MS);
    await noneKnows(servers, limit);
  });

  test('what an operator writes wrongly changes nothing and stands in nobody’s way', async () => {
    for (const slip of ['not JSON', '[]', '{"active":true}', '{"resetAt":"soon"}']) {
      await rig.outsider.set(KEY, slip);
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

  test('a stale record is cleaned up when it is read', async () => {
    const limit = limitFor(-1000, { setBy: 'ops' });
    await rig.outsider.set(KEY, encodeLimit(limit));
    await first.clock.advance(REFRESH_MS);
    await until(async () => (await rig.outsider.exists(KEY)) === 0);
    assert.equal(knownBy(first, limit), undefined);
  });

  test('a limit that Redis holds to be over still holds where the clock says otherwise', async () => {
    const slow = first;
    // The test's clock stands still while the real one runs.
    const limit = limitFor(1, { resetAt: slow.clock.now() + 1 });
    await until(() => Date.now() > limit.resetAt);
    await slow.limits.set(limit);
    assert.deepEqual(knownBy(slow, limit), limit);
    await slow.clock.advance(1);
    assert.equal(knownBy(slow, limit), undefined);
  });

  test('one of many refusals in a burst is written, not each', async () => {
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
