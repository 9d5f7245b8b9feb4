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
    limits: new Map([['gemini', LIMIT]]),
    metrics: createDispatchMetrics(createMetrics(), clock),
    clock,
    newId,
  });
  return { clock, limit };
}

test('released jobs use an idle limit at once, then go no closer than 0.9 interval', async () => {
  const { clock, limit } = rig();
  const startedAt = clock.now();
  const times: number[] = [];
  const released = (async () => {
    while (times.length < 60) {
      assert.ok(await limit.waitForSlot('gemini', new AbortController().signal));
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
    assert.equal((await limit.acquire('gemini', {})).kind, 'allowed');
  const answer = await limit.acquire('gemini', {});
  assert.deepEqual(answer, { kind: 'later', afterMs: 1000 });
  const dueAt = clock.now() + 1000;
  await clock.advance(1000);
  assert.equal((await limit.acquire('gemini', { dueAt })).kind, 'allowed');
});

test('a slot that is given back is free', async () => {
  const { limit } = rig();
  for (let index = 0; index < 9; index += 1) await limit.tryNow('gemini', {});
  const last = await limit.tryNow('gemini', {});
  assert.equal((await limit.tryNow('gemini', {})).kind, 'later');
  assert.ok(last.kind === 'allowed');
  last.giveBack();
  assert.equal((await limit.tryNow('gemini', {})).kind, 'allowed');
});

test('a provider without a limit admits every message', async () => {
  const { limit } = rig();
  for (let index = 0; index < 20; index += 1)
    assert.equal((await limit.acquire('openai', {})).kind, 'allowed');
});

test('an aborted release takes no slot', async () => {
  const { limit } = rig();
  assert.equal(await limit.waitForSlot('gemini', AbortSignal.abort()), false);
});
