import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { openRedisRig, type RedisRig, until } from '../../../test/support/stores/redis-rig.ts';
import { createLogRing } from '../../adapters/memory/log-ring.ts';
import { loadConfig } from '../../config/load-config.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createLifecycle } from '../../kernel/lifecycle.ts';
import { silentLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { StartFailure } from '../start-failure.ts';
import { openSharedState } from './open-shared-state.ts';

let rig: RedisRig;
before(async () => {
  rig = await openRedisRig();
});
after(() => rig.close());
beforeEach(() => rig.outsider.flushall());

async function openState(env: Record<string, string>, storeId = 'store-1', serverId = 'srv-1') {
  const lifecycle = createLifecycle();
  const ring = createLogRing(silentLog, systemClock, { capacity: 100 });
  ring.log.write({ level: 'info', type: 'audit', message: `${serverId} starts` });
  const config = loadConfig({ env, cwd: import.meta.dirname });
  const parts = {
    ring,
    serverId,
    storeId,
    clock: systemClock,
    metrics: createMetrics(),
    lifecycle,
  };
  try {
    const shared = await openSharedState(config, parts);
    return { ...shared, log: ring.log, close: () => lifecycle.close() };
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

function messages(entries: readonly { message: string }[] | undefined) {
  return entries?.map(({ message }) => message);
}

test('limits and log entries stay in the process without a Redis', async () => {
  const { recentLog, isUp, close } = await openState({});
  assert.deepEqual(messages(await recentLog.recent({ limit: 10 })), ['srv-1 starts']);
  assert.ok(isUp());
  await close();
});

test('log entries go to Redis only if that is switched on', async () => {
  const { recentLog, close } = await openState({ REDIS_URL: rig.url });
  assert.equal(await recentLog.recent({ limit: 10 }), undefined);
  await close();
});

test('a server shows the log entries of all servers, and its own while Redis is unavailable', async () => {
  const env = { REDIS_URL: rig.url, ENABLE_REDIS_LOGGING: 'true' };
  const first = await openState(env);
  const second = await openState(env, 'store-1', 'srv-2');
  first.log.write({ level: 'warn', type: 'ai_limit', message: 'a limit' });
  await until(async () => (await rig.outsider.llen('server:logs')) === 3);
  const warnings = await second.recentLog.recent({ limit: 10, level: 'warn' });
  assert.deepEqual(messages(warnings), ['a limit']);
  await rig.service.kill('SIGKILL');
  await until(() => !second.isUp());
  const own = messages(await second.recentLog.recent({ limit: 10 }));
  assert.ok(own?.includes('srv-2 starts') && !own.includes('srv-1 starts'));
  await rig.service.restart();
  await Promise.all([first.close(), second.close()]);
});

test('the start fails with one sentence for a Redis of another store', async () => {
  const first = await openState({ REDIS_URL: rig.url });
  await assert.rejects(openState({ REDIS_URL: rig.url }, 'store-2'), (error) => {
    assert.ok(error instanceof StartFailure);
    assert.match(
      error.message,
      /^The Redis at 127\.0\.0\.1:\d+ belongs to another Spillway store;/,
    );
    return true;
  });
  await first.close();
});

test('the start fails with one sentence for a wrong password, without repeating it', async () => {
  const url = new URL(rig.url);
  url.password = 'hunter2';
  await assert.rejects(openState({ REDIS_URL: url.href }), (error) => {
    assert.ok(error instanceof StartFailure);
    assert.match(error.message, /refuses the user or the password in REDIS_URL\.$/);
    assert.doesNotMatch(error.message, /hunter2/);
    return true;
  });
});

test('a server starts without its Redis and uses it once it is available', async () => {
  await rig.service.kill('SIGKILL');
  const { limits, isUp, close } = await openState({ REDIS_URL: rig.url });
  const now = systemClock.now();
  const scope = { provider: 'anthropic', region: 'us-east' };
  await limits.set({ ...scope, resetAt: now + 60_000, setBy: 'srv-1', setAt: now, kind: 'learnt' });
  assert.ok(limits.active({ ...scope, model: 'a-model' }));
  await rig.service.restart();
  await until(() => isUp());
  await until(async () => (await rig.outsider.exists('ai:limit:anthropic:us-east')) === 1);
  await close();
});
