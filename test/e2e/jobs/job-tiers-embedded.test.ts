// The limits of the job pipeline on embedded storage, under a clock that the test moves.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';
import type { RateLimiter } from '../../../src/resilience/rate-limiter.ts';
import { type OpenedEngines, openEmbeddedEngines } from '../../support/jobs/tier-engines.ts';
import {
  createTierRig,
  mostWithin,
  type TierOptions,
  type TierRig,
} from '../../support/jobs/tier-rig.ts';
import { createTestClock, type TestClock } from '../../support/test-clock.ts';

const STEP_MS = 250;

suite('limits of jobs on embedded storage', { timeout: 60_000 }, () => {
  let clock: TestClock;
  let engines: OpenedEngines;
  let rig: TierRig;
  async function openEngines(): Promise<void> {
    clock = createTestClock();
    engines = await openEmbeddedEngines(clock);
  }
  beforeEach(openEngines);
  afterEach(async () => {
    await rig.close();
    await engines.close();
  });

  function begin(options: TierOptions): void {
    rig = createTierRig(engines, options);
  }

  async function passUntil(claim: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await claim())) await clock.advance(STEP_MS);
  }

  for (const [origin, count] of [
    ['callers', 600],
    ['other systems', 600],
  ] as const)
    test(`${count} jobs of ${origin} use the limit while they wait, and never more than it`, async () => {
      const [max, windowMs] = [100, 60_000];
      begin({ max, windowMs });
      if (origin === 'callers')
        for (let index = 0; index < count; index += 1) await rig.submit('acme');
      else await rig.publishRaw(count);
      rig.startDispatcher();
      rig.startWorker('gemini', 8);
      await passUntil(() => rig.calls.length === count);
      assert.ok(mostWithin(rig.calls, windowMs) <= max);
      const moments = rig.calls.map(({ at }) => at);
      const tookMs = Math.max(...moments) - Math.min(...moments);
      const bestMs = (count / max) * windowMs;
      assert.ok(bestMs / tookMs >= 0.95, `${Math.round((100 * bestMs) / tookMs)} % of the limit`);
      const returned = rig.calls.slice(max);
      assert.ok(mostWithin(returned, 1000) <= (1.5 * max * 1000) / windowMs);
      assert.equal(await rig.deadLetters.count(), 0);
    });

  test('an organisation with many jobs does not double the wait of the others', async () => {
    const quiet = ['calm', 'still'];
    async function medianTurn(loudJobs: number): Promise<number> {
      begin({ max: 20, windowMs: 500 });
      for (let index = 0; index < loudJobs; index += 1) await rig.submit('loud');
      for (let index = 0; index < 20; index += 1)
        for (const organization of quiet) await rig.submit(organization);
      rig.startDispatcher();
      rig.startWorker('gemini', 4);
      const turns = () =>
        rig.calls.flatMap(({ organizationId }, index) =>
          quiet.includes(organizationId) ? [index + 1] : [],
        );
      await passUntil(() => turns().length === 40);
      return turns()[20] ?? 0;
    }
    const alone = await medianTurn(0);
    await rig.close();
    await engines.close();
    await openEngines();
    const beside = await medianTurn(1000);
    assert.ok(beside <= 2 * alone, `turn ${beside} beside the loud one, ${alone} alone`);
  });

  test('jobs of one organisation run in the order of their priority', async () => {
    begin({ max: 2, windowMs: 300 });
    for (const priority of [1, 9, 5, 0]) await rig.submit('acme', { priority });
    rig.startDispatcher();
    await passUntil(async () => (await rig.queue.depth(rig.queueOf('gemini'))).ready === 4);
    rig.startWorker('gemini', 1);
    await passUntil(() => rig.calls.length === 4);
    const order = rig.calls.map(({ priority }) => priority);
    assert.deepEqual(order, [9, 5, 1, 0]);
  });

  test('no job runs while the counts are unavailable, and every job runs afterwards', async () => {
    let isAway = true;
    const limiter: RateLimiter = {
      take(ask, onDecision) {
        assert.equal(ask.isBackground, true);
        onDecision(
          isAway
            ? { isAllowed: false, binding: undefined, standings: [], retryAfterMs: 1000 }
            : { isAllowed: true, standings: [] },
        );
      },
      giveBack() {},
      settle() {},
      look: async () => [],
      async close() {},
    };
    begin({ max: 10, windowMs: 1000, limiter });
    for (let index = 0; index < 20; index += 1) await rig.submit('acme');
    rig.startDispatcher();
    await passUntil(async () => (await rig.queue.depth(rig.queueOf('gemini'))).ready === 20);
    await rig.publishRaw(5);
    rig.startWorker('gemini', 2);
    await clock.advance(600_000);
    assert.ok(rig.metricOf('worker.ratelimit.blocked') >= 4);
    assert.equal(rig.calls.length, 0);
    isAway = false;
    await passUntil(() => rig.calls.length === 25);
    assert.equal(await rig.deadLetters.count(), 0);
  });
});
