import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectingLog } from '../../../test/support/stores/rabbit-rig.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import type { Limit } from '../../admission/rate-limiter.ts';
import { newJob } from '../../jobs/pipeline/submit-job.ts';
import { newId } from '../../kernel/ids.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { createWorkerMetrics } from '../jobs/worker-metrics.ts';
import { createWorkerPermits, permitOf } from './worker-permit.ts';

function rig(accounts: readonly string[] = ['default'], tokens = 0) {
  const clock = createTestClock();
  const metrics = createMetrics();
  const log = collectingLog();
  const limitsOf = (account: string): readonly Limit[] => [
    { tier: 'provider', subject: account, kind: 'requests', max: 1, windowMs: 10_000 },
    { tier: 'provider', subject: account, kind: 'tokens', max: 100, windowMs: 10_000 },
  ];
  const permits = createWorkerPermits({
    limiter: createMemoryRateLimiter(clock),
    accountsOf: () => accounts.map((account) => ({ account, limits: limitsOf(account) })),
    tokensOf: () => tokens,
    metrics: createWorkerMetrics(metrics, clock, log),
    clock,
    newId,
  });
  const given = {
    message: { provider: 'gemini' },
    submitter: { organizationId: 'acme' },
    origin: 'queue',
    queue: 'q',
  } as const;
  const job = newJob(given, newId, clock.now());
  return { clock, log, permits, job, take: () => permits.take(job, {}, { backAt: undefined }) };
}

test('a permit is given, and says which account it is of', async () => {
  const { take } = rig(['first', 'second']);
  const [one, two, three] = [await take(), await take(), await take()];
  assert.ok(one.kind === 'allowed' && two.kind === 'allowed');
  assert.equal(permitOf({ permit: one.permit })?.account, 'first');
  assert.equal(permitOf({ permit: two.permit })?.account, 'second');
  assert.equal(three.kind, 'later');
});

test('those who are refused are given moments of their own, and what is given back is free again', async () => {
  const { take, permits, clock } = rig();
  const first = await take();
  assert.ok(first.kind === 'allowed' && first.permit);
  assert.deepEqual(await take(), { kind: 'later', afterMs: 10_000 });
  assert.deepEqual(await take(), { kind: 'later', afterMs: 20_100 });
  permits.giveBack(first.permit);
  const present = await permits.take(rig().job, {}, { backAt: clock.now() });
  assert.equal(present.kind, 'allowed');
});

test('a job larger than the whole limit is left to its call, which can say so', async () => {
  const { take } = rig(['default'], 1000);
  assert.deepEqual(await take(), { kind: 'allowed' });
});

test('a burst of jobs that are put back is one line in the log', async () => {
  const { clock, log, permits, job } = rig();
  for (let index = 0; index < 50; index += 1) permits.noteRequeued(job);
  assert.equal(log.entries.length, 1);
  await clock.advance(120_000);
  permits.noteRequeued(job);
  assert.equal(log.entries.length, 2);
});

test('what has waited for the limit keeps its distance up to the call, however it was held up', async () => {
  const { clock, permits, job } = rig(['first', 'second', 'third']);
  const startedAt = clock.now();
  const held = [];
  for (const waitCode of ['RATE_LIMITED', 'RATE_LIMITED', undefined] as const) {
    const waited = { ...job, waitCode, runAt: clock.now() };
    const answer = await permits.take(waited, {}, { backAt: undefined });
    assert.ok(answer.kind === 'allowed' && answer.permit);
    // All of one provider's account: the rig has a limit of one for each.
    held.push({ ...answer.permit, account: 'first' });
    await clock.advance(100);
  }
  await clock.advance(700);
  const letOnAt: number[] = [];
  for (const [index, permit] of held.entries())
    void permits.keepDistance(job, permit).then(() => {
      letOnAt[index] = clock.now() - startedAt;
    });
  await clock.advance(0);
  await clock.advance(1000);
  assert.deepEqual(letOnAt, [1000, 1090, 1000]);
});
