import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import { newId } from '../../kernel/ids.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import type { Limit } from '../../resilience/rate-limiter.ts';
import { createDispatchMetrics } from '../jobs/dispatch-metrics.ts';
import { createDispatchLimit } from './dispatch-limit.ts';

const LIMIT: Limit = {
  tier: 'dispatcher',
  subject: 'gemini',
  kind: 'requests',
  max: 10,
  windowMs: 1000,
};
const INTERVAL_MS = 100;

function rig() {
  const clock = createTestClock();
  const limit = createDispatchLimit({
    limiter: createMemoryRateLimiter(clock),
    limitOf: () => LIMIT,
    metrics: createDispatchMetrics(createMetrics(), clock),
    clock,
    newId,
  });
  return { clock, limit };
}

test('an idle limit is used at once; who had to wait goes one interval after the one before', async () => {
  const { clock, limit } = rig();
  const startedAt = clock.now();
  const moments: number[] = [];
  const released = (async () => {
    while (moments.length < 40) {
      assert.ok(await limit.waitForTurn('gemini', new AbortController().signal));
      moments.push(clock.now() - startedAt);
    }
  })();
  while (moments.length < 40) await clock.advance(10);
  await released;
  assert.equal(new Set(moments.slice(0, LIMIT.max)).size, 1);
  // The first who waited comes as soon as there is room, and what it is late by is made up for.
  const inAnySecond = moments.slice(10).map((from) => {
    return moments.slice(10).filter((at) => at >= from && at < from + LIMIT.windowMs).length;
  });
  assert.ok(Math.max(...inAnySecond) <= LIMIT.max);
  const gaps = moments.slice(14).map((at, index) => at - (moments[index + 13] ?? at));
  assert.ok(
    gaps.every((gap) => Math.abs(gap - INTERVAL_MS) <= 20),
    gaps.join(),
  );
});

test('told to stop, nobody gets a turn any more', async () => {
  const { limit } = rig();
  assert.equal(await limit.waitForTurn('gemini', AbortSignal.abort()), false);
});
