import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import { newId } from '../../kernel/ids.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import type { Limit } from '../../resilience/rate-limiter.ts';
import { mostWithin } from '../../simulator/scenario/peak-window.ts';
import { createDispatchMetrics } from '../jobs/dispatch-metrics.ts';
import { createDispatchLimit } from './dispatch-limit.ts';

const LIMIT: Limit = {
  tier: 'dispatcher',
  subject: 'gemini',
  kind: 'requests',
  max: 10,
  windowMs: 1000,
};

function rig() {
  const clock = createTestClock();
  const limit = createDispatchLimit({
    limiter: createMemoryRateLimiter(clock),
    accounts: new Map([['gemini', [{ account: 'default', limits: [LIMIT] }]]]),
    metrics: createDispatchMetrics(createMetrics(), clock),
    clock,
    newId,
  });
  return { clock, limit };
}

test('released jobs use an idle limit immediately, then start at least 0.9 intervals apart', async () => {
  const { clock, limit } = rig();
  const startedAt = clock.now();
  const times: number[] = [];
  const released = (async () => {
    while (times.length < 60) {
      assert.ok(await limit.waitForSlot({ provider: 'gemini' }, new AbortController().signal));
      times.push(clock.now() - startedAt);
    }
  })();
  while (times.length < 60) await clock.advance(10);
  await released;
  assert.equal(new Set(times.slice(0, LIMIT.max)).size, 1);
  assert.ok(mostWithin(times.slice(LIMIT.max), LIMIT.windowMs) <= LIMIT.max);
  const paced = times.slice(LIMIT.max);
  for (const [index, at] of paced.entries())
    assert.ok(at - (paced[index - 1] ?? -90) >= 90, paced.join());
  assert.ok((times.at(-1) ?? 0) <= 6000 / 0.97, `the last of 60 after ${times.at(-1)} ms`);
});

test('a message over the limit gets a due time, and is admitted when it has come', async () => {
  const { clock, limit } = rig();
  for (let index = 0; index < 10; index += 1)
    assert.equal((await limit.acquire({ provider: 'gemini' }, {})).kind, 'allowed');
  const answer = await limit.acquire({ provider: 'gemini' }, {});
  assert.deepEqual(answer, { kind: 'later', afterMs: 1000 });
  const dueAt = clock.now() + 1000;
  await clock.advance(1000);
  assert.equal((await limit.acquire({ provider: 'gemini' }, { dueAt })).kind, 'allowed');
});

test('a slot that is given back is free', async () => {
  const { limit } = rig();
  for (let index = 0; index < 9; index += 1) await limit.tryNow({ provider: 'gemini' }, {});
  const last = await limit.tryNow({ provider: 'gemini' }, {});
  assert.equal((await limit.tryNow({ provider: 'gemini' }, {})).kind, 'later');
  assert.ok(last.kind === 'allowed');
  last.giveBack();
  assert.equal((await limit.tryNow({ provider: 'gemini' }, {})).kind, 'allowed');
});

test('a provider without a limit admits every message', async () => {
  const { limit } = rig();
  for (let index = 0; index < 20; index += 1)
    assert.equal((await limit.acquire({ provider: 'openai' }, {})).kind, 'allowed');
});

test('an aborted release takes no slot', async () => {
  const { limit } = rig();
  assert.equal(await limit.waitForSlot({ provider: 'gemini' }, AbortSignal.abort()), false);
});

function accountRig() {
  const clock = createTestClock();
  const accounts = ['default', 'second'].map((account) => ({
    account,
    limits: [{ ...LIMIT, subject: account }],
  }));
  const limit = createDispatchLimit({
    limiter: createMemoryRateLimiter(clock),
    accounts: new Map([['gemini', accounts]]),
    metrics: createDispatchMetrics(createMetrics(), clock),
    clock,
    newId,
  });
  return { clock, limit };
}

test('each account has its own count, and messages over both are due at the sum of their rates', async () => {
  const { limit } = accountRig();
  const scope = { provider: 'gemini' };
  const answers = [];
  for (let index = 0; index < 60; index += 1) answers.push(await limit.acquire(scope, {}));
  assert.equal(answers.filter(({ kind }) => kind === 'allowed').length, 20);
  const waits = answers.flatMap((answer) => (answer.kind === 'later' ? [answer.afterMs] : []));
  assert.equal(waits.length, 40);
  assert.ok(Math.max(...waits) < 3000, waits.join());
});

test('slots of an unusable account are not taken while another account is usable', async () => {
  const { limit } = accountRig();
  const second = { provider: 'gemini', isUsable: (account: string) => account === 'second' };
  for (let index = 0; index < 10; index += 1)
    assert.equal((await limit.tryNow(second, {})).kind, 'allowed');
  assert.equal((await limit.tryNow(second, {})).kind, 'later');
  assert.equal((await limit.tryNow({ provider: 'gemini' }, {})).kind, 'allowed');
});

test('released jobs wait for the slots of all accounts', async () => {
  const { clock, limit } = accountRig();
  const signal = new AbortController().signal;
  const released: boolean[] = [];
  const startedAt = clock.now();
  const releasing = Array.from({ length: 40 }, async () => {
    released.push(await limit.waitForSlot({ provider: 'gemini' }, signal));
  });
  while (released.length < 40) await clock.advance(10);
  await Promise.all(releasing);
  assert.ok(released.every(Boolean));
  assert.ok(clock.now() - startedAt <= 2200, `all released after ${clock.now() - startedAt} ms`);
});
