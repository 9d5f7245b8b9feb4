import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newJob } from '../intake/submit-job.ts';
import { delayed, routed, started } from './job-moves.ts';

const ROUTE = { queue: 'gemini-analysis-queue', provider: 'gemini' };
const given = {
  message: { prompt: 'hello' },
  submitter: { organizationId: 'acme' },
  origin: 'queue',
  queue: 'raw',
} as const;

test('a job that was delayed by a rate limit keeps its wait code until it starts', () => {
  const job = newJob(given, () => 'job_1', 1000);
  assert.equal(routed(job, ROUTE, 1000).moved.waitCode, undefined);
  const wait = { until: 2000, code: 'RATE_LIMITED', costsAttempt: false } as const;
  const back = routed(delayed(job, wait, 1000).moved, ROUTE, 2000).moved;
  assert.deepEqual([back.state, back.waitCode, back.runAt], ['queued', 'RATE_LIMITED', 2000]);
  const running = started(back, { workerId: 'w', leaseMs: 1000 }, 2001).moved;
  assert.equal(running.waitCode, undefined);
});

test('a job that was delayed for another reason loses its wait code when it is routed', () => {
  const job = newJob(given, () => 'job_1', 1000);
  const wait = { until: 2000, code: 'AI_LIMIT_REACHED', costsAttempt: false } as const;
  const back = routed(delayed(job, wait, 1000).moved, ROUTE, 2000).moved;
  assert.deepEqual([back.state, back.waitCode], ['queued', undefined]);
});
