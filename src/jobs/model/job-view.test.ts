import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { Job } from './job.ts';
import { estimateJob } from './job-estimate.ts';
import { toEventView, toJobView, toReceipt, toResultView } from './job-view.ts';

const NOW = 1_800_000_000_000;
const READER = { locale: 'en', timeZone: 'UTC', now: NOW };
const SECRET = 'canary';

const JOB: Job = {
  id: 'job_internal',
  publicId: 'my job/1',
  organizationId: `org-${SECRET}`,
  origin: 'http',
  state: 'queued',
  fence: 3,
  run: 1,
  attempts: 1,
  losses: 0,
  priority: 5,
  queue: `queue-${SECRET}`,
  provider: `provider-${SECRET}`,
  model: `model-${SECRET}`,
  keyId: `key-${SECRET}`,
  leaseOwner: `worker-${SECRET}`,
  callbackUrl: `https://${SECRET}.example`,
  requestId: 'req_1',
  runAt: NOW + 5000,
  publishedAt: NOW,
  createdAt: NOW - 1000,
  updatedAt: NOW,
};

const RESULT = {
  provider: 'openai',
  model: 'gpt-5',
  output: 'hi',
  response: { id: 'r' },
  usage: NO_USAGE,
  costNanos: 1_230_000,
};

describe("the owner's view of a job", () => {
  it('shows a waiting job with its estimate and why it waits, and nothing internal', () => {
    const view = toJobView({ ...JOB, state: 'delayed', waitCode: 'AI_LIMIT_REACHED' }, READER, {
      position: 3,
      estimatedStartAt: NOW + 5000,
      history: [
        {
          run: 1,
          attempt: 1,
          outcome: 'delayed',
          errorCode: 'AI_LIMIT_REACHED',
          partialOutput: 'so far',
          provider: `provider-${SECRET}`,
          workerId: `worker-${SECRET}`,
          startedAt: NOW - 10,
          finishedAt: NOW,
        },
      ],
    });
    assert.equal(view.status, 'delayed');
    assert.equal('position' in view && view.position, 3);
    assert.equal(view.history?.[0]?.code, 'AI_LIMIT_REACHED');
    assert.equal('waitingFor' in view && view.waitingFor?.code, 'AI_LIMIT_REACHED');
    assert.equal(view.history?.[0]?.partialOutput, 'so far');
    assert.equal('partialOutput' in view && view.partialOutput, 'so far');
    assert.ok(!JSON.stringify(view).includes(SECRET), JSON.stringify(view));
  });

  it('shows the partial output of a failed job, and of a success only that of its other attempts', () => {
    const attempt = { startedAt: NOW, finishedAt: NOW };
    const cut = { ...attempt, run: 1, attempt: 1, outcome: 'failed', partialOutput: 'so far' };
    const good = { ...attempt, run: 2, attempt: 2, outcome: 'succeeded', partialOutput: 'hi' };
    const failed = toJobView({ ...JOB, state: 'failed' }, READER, { history: [cut] });
    assert.equal('partialOutput' in failed && failed.partialOutput, 'so far');
    const done = toJobView({ ...JOB, state: 'succeeded' }, READER, {
      result: RESULT,
      history: [cut, good],
    });
    assert.equal('partialOutput' in done, false);
    assert.deepEqual(
      done.history?.map(({ partialOutput }) => partialOutput),
      ['so far', undefined],
    );
  });

  it('names provider, model and cost of a success', () => {
    const view = toResultView({ ...JOB, state: 'succeeded', finishedAt: NOW }, RESULT, READER);
    assert.deepEqual(view, {
      id: 'my job/1',
      AnalysisId: 'my job/1',
      status: 'succeeded',
      provider: 'openai',
      model: 'gpt-5',
      output: 'hi',
      response: { id: 'r' },
      usage: NO_USAGE,
      costUsd: 0.00123,
      attempts: 1,
      startedAt: undefined,
      finishedAt: NOW,
      metadata: undefined,
    });
  });

  it('shows only the public code and sentence of a failure', () => {
    const error = { code: 'AUTH_FAILED', params: {}, retryable: false } as const;
    const view = toJobView({ ...JOB, state: 'failed', error, finishedAt: NOW }, READER);
    assert.equal(view.error?.code, 'AUTH_FAILED');
    assert.ok((view.error?.message.length ?? 0) > 0);
    assert.equal('position' in view, false);
    assert.ok(!JSON.stringify(view).includes(SECRET));
  });

  it('escapes the id in its links', () => {
    const receipt = toReceipt(JOB, { position: 1 });
    assert.equal(receipt.links.events, '/v1/jobs/my%20job%2F1/events');
    const event = { sequence: 2, type: 'delayed', createdAt: 5, data: { until: 9 } } as const;
    assert.deepEqual(toEventView(event), { id: 2, type: 'delayed', createdAt: 5, until: 9 });
  });
});

describe('the estimate of a job', () => {
  const pace = { averageRunMs: 4000, concurrency: 2, perMinute: 60 };

  it("is the jobs ahead times the slower of the workers' and the limit's time per job", () => {
    const job = { ...JOB, runAt: NOW };
    const estimate = estimateJob(job, 10, pace, NOW);
    assert.equal(estimate.position, 11);
    assert.equal(estimate.estimatedStartAt, NOW + 10 * 2000);
    assert.equal(estimate.estimatedFinishAt, NOW + 10 * 2000 + 4000);
    const slower = estimateJob(job, 10, { ...pace, perMinute: 5 }, NOW);
    assert.equal(slower.estimatedStartAt, NOW + 10 * 12_000);
  });

  it('is not before the due time, and has no position if the queue does not know it', () => {
    assert.equal(estimateJob(JOB, 0, pace, NOW).estimatedStartAt, JOB.runAt);
    assert.equal('position' in estimateJob(JOB, undefined, pace, NOW), false);
    assert.deepEqual(estimateJob({ ...JOB, state: 'failed' }, 0, pace, NOW), {});
    const running = { ...JOB, state: 'running', startedAt: NOW - 9000 } as const;
    assert.deepEqual(estimateJob(running, undefined, pace, NOW), { estimatedFinishAt: NOW });
  });
});
