// The scenarios of an existing system's plan: 1,000 messages on the raw queue, 500 calls per window, as separate processes with
// the plan's own variables on a real broker. Only the window is shorter than a minute.

import assert from 'node:assert/strict';
import { afterEach, suite, test } from 'node:test';
import { mostWithin } from '../../support/jobs/tier-rig.ts';
import { eventually, type MigrationRig, openMigrationRig } from './migration-rig.ts';

const COUNT = 1000;
const LIMIT = 500;
/** Longer than the dispatcher takes for all messages. */
const WINDOW_MS = 20_000;
const DELAY_MS = 12_000;

const FILE = {
  providers: {
    gemini: { windowMs: WINDOW_MS, defaultModel: 'gemini-2.5-flash' },
    openai: { windowMs: WINDOW_MS, defaultModel: 'gpt-5-mini' },
  },
};
const PLAN = {
  GEMINI_RATE_LIMIT: String(LIMIT),
  OPENAI_RATE_LIMIT: String(LIMIT),
  RATE_LIMIT_DELAY_MS: String(DELAY_MS),
  WORKER_CONCURRENCY: '16',
};
const COST_OPTIMIZED = {
  PROVIDER_SELECTION_STRATEGY: 'COST_OPTIMIZED',
  PROVIDER_PRIORITY_ORDER: 'gemini,openai',
};

suite('1,000 messages at 500 calls per window', { timeout: 600_000 }, () => {
  let rig: MigrationRig;
  afterEach(() => rig.close());

  async function dispatch(env: Record<string, string>): Promise<string[]> {
    rig = await openMigrationRig(FILE, { ...PLAN, ...env });
    const ids = await rig.publish(COUNT);
    await rig.start(['dispatcher']);
    return ids;
  }

  /** Ready messages: on gemini's queue, its delay queue, openai's queue, openai's delay queue. */
  async function depths(): Promise<readonly number[]> {
    const [gemini, openai] = [rig.queueOf('GEMINI_QUEUE'), rig.queueOf('OPENAI_QUEUE')];
    const queues = [gemini, openai].flatMap((queue) => [queue, `${queue}-delayed-${DELAY_MS}ms`]);
    return Promise.all(queues.map((queue) => rig.ready(queue)));
  }

  async function dispatched(expected: readonly number[]): Promise<void> {
    const isDone = async () => (await depths()).reduce((sum, count) => sum + count, 0) === COUNT;
    await eventually(isDone);
    assert.deepEqual(await depths(), expected);
  }

  /** Every message has one result and one call, and no window at a provider has more calls than its limit. */
  async function processed(ids: readonly string[], calls: Record<string, number>): Promise<void> {
    await rig.allResults(ids);
    const log = rig.simulator.log();
    for (const [id, results] of rig.results) assert.equal(results.length, 1, id);
    assert.equal(rig.results.size, COUNT);
    assert.ok(log.every(({ outcome }) => outcome === 'ok'));
    for (const [provider, count] of Object.entries(calls)) {
      const own = log.filter((entry) => entry.provider === provider);
      assert.equal(own.length, count, provider);
      const most = mostWithin(
        own.map(({ startedAt: at }) => ({ at })),
        WINDOW_MS,
      );
      assert.ok(most <= LIMIT, `${most} calls of ${provider} in a window`);
    }
    assert.equal(await rig.ready(rig.queueOf('DLQ_QUEUE')), 0);
  }

  test('FIXED: 500 are dispatched at once and 500 wait on the delay queue, and all are processed', async () => {
    const ids = await dispatch({});
    await dispatched([LIMIT, COUNT - LIMIT, 0, 0]);
    await rig.start(['worker', '--provider', 'gemini']);
    await processed(ids, { gemini: COUNT });
  });

  test('the bypass: all are dispatched at once, and the worker keeps the limit', async () => {
    const ids = await dispatch({ RATE_LIMIT_ENABLED: 'false' });
    await dispatched([COUNT, 0, 0, 0]);
    const worker = await rig.start(['worker', '--provider', 'gemini']);
    await processed(ids, { gemini: COUNT });
    assert.match(worker.output(), /dispatcher bypass/);
  });

  test('COST_OPTIMIZED with delay: the first provider keeps all, half of them delayed', async () => {
    const ids = await dispatch({ ...COST_OPTIMIZED, PROVIDER_OVERFLOW: 'delay' });
    await dispatched([LIMIT, COUNT - LIMIT, 0, 0]);
    await rig.start(['worker', '--provider', 'gemini']);
    await processed(ids, { gemini: COUNT });
  });

  test('COST_OPTIMIZED with next: 500 go to each provider, and none is delayed', async () => {
    const ids = await dispatch({ ...COST_OPTIMIZED, PROVIDER_OVERFLOW: 'next' });
    await dispatched([LIMIT, 0, LIMIT, 0]);
    for (const provider of ['gemini', 'openai'])
      await rig.start(['worker', '--provider', provider]);
    await processed(ids, { gemini: LIMIT, openai: LIMIT });
  });
});
