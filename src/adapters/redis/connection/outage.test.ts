// A private Redis is killed, restarted and frozen under servers that share their limits. Each server's own view keeps the
// contract throughout, no learnt limit is lost, and the servers converge afterwards.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { providerLimitsContract } from '../../../../test/contract/provider-limits.ts';
import {
  openRedisRig,
  type RedisRig,
  type SharedServer,
  until,
} from '../../../../test/support/stores/redis-rig.ts';
import type { ProviderLimit } from '../../../admission/provider-limits.ts';

let rig: RedisRig;
before(async () => {
  rig = await openRedisRig();
});
after(() => rig.close());

describe('while Redis is unavailable', () => {
  before(() => rig.service.kill('SIGKILL'));
  after(() => rig.service.restart());
  providerLimitsContract('an unavailable Redis', () => rig.openServer({}, 50));
});

describe('while Redis is frozen', () => {
  after(() => rig.service.thaw());
  providerLimitsContract('a frozen Redis', async () => {
    await rig.service.thaw();
    const server = await rig.openServer();
    await rig.service.freeze();
    return server;
  });
});

for (const [name, disturb] of [
  ['killed and restarted', () => rig.service.restart()],
  ['frozen and thawed', freezeBriefly],
  ['flushed', async () => void (await rig.outsider.flushall())],
] as const) {
  describe(`while Redis is ${name} again and again`, () => {
    const over = new AbortController();
    let disturbing: Promise<void>;
    before(() => {
      disturbing = (async () => {
        while (!over.signal.aborted) await disturb();
      })();
    });
    after(async () => {
      over.abort();
      await disturbing;
    });
    providerLimitsContract(`a Redis that is ${name}`, () => rig.openServer());
  });
}

async function freezeBriefly(): Promise<void> {
  await rig.service.freeze();
  await until(() => Math.random() < 0.01);
  await rig.service.thaw();
  await until(() => Math.random() < 0.01);
}

const SCOPE = { provider: 'anthropic', region: 'us-east' };
const KEY = 'ai:limit:anthropic:us-east';

describe('servers that share a failing Redis', () => {
  beforeEach(() => rig.outsider.flushall());

  test('a limit survives a restart of Redis, and of two limits learnt meanwhile the later one applies', async () => {
    const servers = [
      await rig.openServer(),
      await rig.openServer(),
      await rig.openServer(),
    ] as const;
    const [first, second, third] = servers;
    const before = limitFor(60_000, { provider: 'openai' });
    await first.limits.set(before);
    await rig.service.kill('SIGKILL');
    await until(() => servers.every(({ link }) => !link.isUp()));
    const [early, late] = [limitFor(60_000), limitFor(70_000)];
    await Promise.all([second.limits.set(late), third.limits.set(early)]);
    assert.deepEqual(knownBy(second, late), late);
    assert.deepEqual(knownBy(third, early), early);
    assert.deepEqual(knownBy(first, before), before);
    await rig.service.restart();
    await until(() => servers.every((server) => knownBy(server, late)?.resetAt === late.resetAt));
    await until(async () => (await rig.outsider.exists(KEY, 'ai:limit:openai:us-east')) === 2);
    await until(() =>
      servers.every((server) => knownBy(server, before)?.resetAt === before.resetAt),
    );
    await Promise.all(servers.map((server) => server.close()));
  });

  test('a limit that is cleared while Redis is frozen is cleared on all servers afterwards', async () => {
    const servers = [await rig.openServer(), await rig.openServer()] as const;
    const [first, second] = servers;
    const limit = limitFor(60_000);
    await first.limits.set(limit);
    await until(() => knownBy(second, limit) !== undefined);
    await rig.service.freeze();
    await first.limits.clear(SCOPE);
    assert.equal(knownBy(first, limit), undefined);
    assert.deepEqual(knownBy(second, limit), limit);
    await rig.service.thaw();
    await until(() => servers.every((server) => knownBy(server, limit) === undefined));
    assert.equal(await rig.outsider.exists(KEY), 0);
    await Promise.all(servers.map((server) => server.close()));
  });

  test('a command that a frozen Redis runs late does not undo a newer change', async () => {
    const server = await rig.openServer();
    const limit = limitFor(60_000);
    await rig.service.freeze();
    const setting = server.limits.set(limit);
    await until(() => !server.link.isUp());
    await Promise.all([setting, server.limits.clear(SCOPE)]);
    await rig.service.thaw();
    await until(() => server.link.isUp());
    await server.limits.clear(SCOPE);
    assert.equal(await rig.outsider.exists(KEY), 0);
    assert.equal(knownBy(server, limit), undefined);
    await server.close();
  });
});

function limitFor(ms: number, fields: Partial<ProviderLimit> = {}): ProviderLimit {
  const setAt = Date.now();
  return { ...SCOPE, resetAt: setAt + ms, setBy: 'srv-1', setAt, kind: 'learnt', ...fields };
}

function knownBy({ limits }: SharedServer, limit: ProviderLimit) {
  return limits.active({ ...limit, model: 'a-model' });
}
