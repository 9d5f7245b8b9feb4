import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { silentLog } from '../../kernel/log.ts';
import type { ReplicaTarget } from './desired-replicas.ts';
import { createScalingCheck } from './scaling-hook.ts';

function gateways(current: number, desired: number): ReplicaTarget {
  return { role: 'gateway', provider: null, current, desired, reasons: ['utilization'] };
}

function openRig() {
  const clock = createTestClock();
  const calls: (readonly ReplicaTarget[])[] = [];
  const state = { targets: [gateways(1, 1)], isHolder: true, fails: false };
  const check = createScalingCheck({
    targets: async () => state.targets,
    acquireLease: async () => state.isHolder,
    hook: async (targets) => {
      calls.push(targets);
      if (state.fails) throw new Error('exit code 1');
    },
    cooldownMs: 60_000,
    clock,
    log: silentLog,
  });
  return { clock, calls, state, check: () => check(new AbortController().signal) };
}

test('the hook runs on a change, once, and not while nothing changes', async () => {
  const { state, calls, check, clock } = openRig();
  await check();
  assert.equal(calls.length, 0);
  state.targets = [gateways(1, 3)];
  await check();
  await clock.advance(120_000);
  await check();
  assert.deepEqual(calls, [[gateways(1, 3)]]);
});

test('a change during the cool-down is sent after it, in its latest form', async () => {
  const { state, calls, check, clock } = openRig();
  state.targets = [gateways(1, 3)];
  await check();
  for (const desired of [4, 5]) {
    state.targets = [gateways(1, desired)];
    await clock.advance(20_000);
    await check();
  }
  assert.equal(calls.length, 1);
  await clock.advance(20_000);
  await check();
  assert.deepEqual(calls.at(-1), [gateways(1, 5)]);
  assert.equal(calls.length, 2);
});

test('a failed hook runs again after the cool-down', async () => {
  const { state, calls, check, clock } = openRig();
  state.targets = [gateways(1, 3)];
  state.fails = true;
  await check();
  await check();
  assert.equal(calls.length, 1);
  await clock.advance(60_000);
  state.fails = false;
  await check();
  await clock.advance(60_000);
  await check();
  assert.equal(calls.length, 2);
});

test('a server without the lease runs nothing', async () => {
  const { state, calls, check } = openRig();
  state.targets = [gateways(1, 3)];
  state.isHolder = false;
  await check();
  assert.equal(calls.length, 0);
});
