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

function rig(
  accounts: readonly string[] = ['default'],
  tokens = 0,
  max = 1,
  isUsable?: (account: string) => boolean,
) {
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
    isUsable,
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

test('permits come from all accounts, each with its own count', async () => {
  const { take } = rig(['first', 'second']);
  const [one, two, three] = [await take(), await take(), await take()];
  assert.ok(one.kind === 'allowed' && two.kind === 'allowed');
  const named = new Set([one.permit?.account, two.permit?.account]);
  assert.deepEqual(named, new Set(['first', 'second']));
  assert.equal(three.kind, 'later');
});

test('jobs over the limits of two accounts get due times at the sum of both rates', async () => {
  const { take } = rig(['first', 'second'], 0, 10);
  const answers = [];
  for (let index = 0; index < 60; index += 1) answers.push(await take());
  const waits = answers.flatMap((answer) => (answer.kind === 'later' ? [answer.afterMs] : []));
  assert.equal(waits.length, 40);
  // Both windows are full for 10 seconds; then 20 jobs are due in 10 seconds, and not 10.
  assert.ok(Math.max(...waits) < 30_000, waits.join());
});

test('an account that is not usable gives no permit while another is usable', async () => {
  const limited = new Set(['first']);
  const { take } = rig(['first', 'second'], 0, 2, (account) => !limited.has(account));
  for (let index = 0; index < 2; index += 1) {
    const answer = await take();
    assert.ok(answer.kind === 'allowed');
    assert.equal(answer.permit?.account, 'second');
  }
  assert.equal((await take()).kind, 'later');
  limited.clear();
  const answer = await take();
  assert.ok(answer.kind === 'allowed');
  assert.equal(answer.permit?.account, 'first');
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
  const limited = 'RATE_LIMITED';
  for (const waitCode of [limited, limited, limited, limited, undefined] as const) {
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
  // The accounts take turns: the first and the third job have permits of one account, the second and the fourth of the other.
  assert.deepEqual(letOnAt, [7000, 7000, 8800, 8800, 7000]);
});
