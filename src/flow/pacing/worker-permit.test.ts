import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectingLog } from '../../../test/support/stores/rabbit-rig.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import { newJob } from '../../jobs/intake/submit-job.ts';
import { newId } from '../../kernel/ids.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import type { Limit } from '../../resilience/rate-limiter.ts';
import { createWorkerMetrics } from '../jobs/worker-metrics.ts';
import { createWorkerPermits } from './worker-permit.ts';

function rig(accounts: readonly string[] = ['default'], tokens = 0, max = 1) {
  const clock = createTestClock();
  const metrics = createMetrics();
  const log = collectingLog();
  const limitsOf = (account: string): readonly Limit[] => [
    { tier: 'provider', subject: account, kind: 'requests', max, windowMs: 10_000 },
    { tier: 'provider', subject: account, kind: 'tokens', max: 100, windowMs: 10_000 },
  ];
  const permits = createWorkerPermits({
    limiter: createMemoryRateLimiter(clock),
    accounts: new Map([
      ['gemini', accounts.map((account) => ({ account, limits: limitsOf(account) }))],
    ]),
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
  return { clock, log, permits, job, take: () => permits.take(job, {}, { dueAt: undefined }) };
}

test('a permit names the first account with a free slot', async () => {
  const { take } = rig(['first', 'second']);
  const [one, two, three] = [await take(), await take(), await take()];
  assert.ok(one.kind === 'allowed' && two.kind === 'allowed');
  assert.equal(one.permit?.account, 'first');
  assert.equal(two.permit?.account, 'second');
  assert.equal(three.kind, 'later');
});

test('refused jobs get due times one interval apart, and a permit that is given back is free', async () => {
  const { take, permits, clock, job } = rig();
  const first = await take();
  assert.ok(first.kind === 'allowed' && first.permit);
  assert.deepEqual(await take(), { kind: 'later', afterMs: 10_000 });
  assert.deepEqual(await take(), { kind: 'later', afterMs: 20_050 });
  permits.giveBack(first.permit);
  const present = await permits.take(job, {}, { dueAt: clock.now() });
  assert.equal(present.kind, 'allowed');
});

test('a job larger than the whole limit is allowed without a permit, so that its call reports the error', async () => {
  const { take } = rig(['default'], 1000);
  assert.deepEqual(await take(), { kind: 'allowed', permit: undefined });
});

test('a burst of requeued jobs writes one log line', async () => {
  const { clock, log, permits, job } = rig();
  for (let index = 0; index < 50; index += 1) permits.noteRequeued(job);
  assert.equal(log.entries.length, 1);
  await clock.advance(120_000);
  permits.noteRequeued(job);
  assert.equal(log.entries.length, 2);
});

test('calls of jobs that waited keep the distance of their permits after a stall', async () => {
  const { clock, permits, job } = rig(['first', 'second'], 0, 10);
  const { signal } = new AbortController();
  const startedAt = clock.now();
  const held = [];
  for (const waitCode of ['RATE_LIMITED', 'RATE_LIMITED', undefined] as const) {
    const waited = { ...job, waitCode, runAt: clock.now() };
    const answer = await permits.take(waited, {}, { dueAt: undefined });
    assert.ok(answer.kind === 'allowed' && answer.permit);
    held.push(answer.permit);
    await clock.advance(1000);
  }
  await clock.advance(2000);
  const letOnAt: number[] = [];
  for (const [index, permit] of held.entries())
    void permit.waitForTurn(signal).then(() => {
      letOnAt[index] = clock.now() - startedAt;
    });
  await clock.advance(0);
  await clock.advance(2000);
  assert.deepEqual(letOnAt, [5000, 5905, 5000]);
});
