// A job pipeline for tests: submission, dispatcher, worker and sweeper on the given store and queue, with a runner that the
// test defines and a clock that it advances.

import assert from 'node:assert/strict';
import type { Verdict } from '../../../src/errors/codes.ts';
import { createSubmitJob } from '../../../src/jobs/intake/submit-job.ts';
import type { Job } from '../../../src/jobs/model/job.ts';
import { RETRY_DEFAULTS } from '../../../src/jobs/model/job-policy.ts';
import type { JobState } from '../../../src/jobs/model/job-state.ts';
import { createCancelJob } from '../../../src/jobs/pipeline/cancel-job.ts';
import { type ChooseProvider, startDispatcher } from '../../../src/jobs/pipeline/dispatch-job.ts';
import { createRetryDeadLetters } from '../../../src/jobs/pipeline/retry-dead-letter.ts';
import { createRunningJobs } from '../../../src/jobs/pipeline/running-jobs.ts';
import { startSweeper } from '../../../src/jobs/pipeline/sweep-jobs.ts';
import { startWorker } from '../../../src/jobs/pipeline/work-job.ts';
import type { DeadLetterStore } from '../../../src/jobs/ports/dead-letter-store.ts';
import type { JobHistory } from '../../../src/jobs/ports/job-history.ts';
import type { JobQueue } from '../../../src/jobs/ports/job-queue.ts';
import type { JobRun, RunJob, RunOutcome } from '../../../src/jobs/ports/job-runner.ts';
import type { JobStore } from '../../../src/jobs/ports/job-store.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { NO_USAGE } from '../../../src/kernel/usage.ts';

export type JobServices = {
  readonly store: JobStore;
  readonly history: JobHistory;
  readonly deadLetters: DeadLetterStore;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly pass: (ms: number) => Promise<void>;
  readonly close: () => Promise<void>;
};

export const RAW = 'raw-analysis-queue';
export const PROVIDER_QUEUE = 'openai-analysis-queue';
export const RESULTS = 'analysis-results-queue';
export const DEAD = 'analysis-dlq';
const LEASE_MS = 30_000;
const STEP_MS = 250;

export type Runner = (run: JobRun, signal: AbortSignal) => RunOutcome | Promise<RunOutcome>;

export type JobRig = ReturnType<typeof createJobRig>;

export function createJobRig(services: JobServices, leaseMs = LEASE_MS) {
  const { store, queue, clock } = services;
  const queues = { resultsQueue: RESULTS, deadLetterQueue: DEAD };
  const running = createRunningJobs();
  const runs: JobRun[] = [];
  let runner: Runner = () => success('done');
  let choose: ChooseProvider = () =>
    Promise.resolve({ kind: 'route', provider: 'openai', queue: PROVIDER_QUEUE });
  const runJob: RunJob = async (run, signal) => {
    runs.push(run);
    return runner(run, signal);
  };
  const parts = {
    ...services,
    source: queue,
    log: silentLog,
    newId,
    queues,
    rawQueue: RAW,
    deadLetterQueue: DEAD,
    defaultOrganizationId: 'default',
    organizationExists: (id: string) => Promise.resolve(id === 'default' || id === 'acme'),
    policy: RETRY_DEFAULTS,
    leaseMs,
    workerId: 'worker-1',
    running,
    runJob,
    chooseProvider: ((job) => choose(job)) satisfies ChooseProvider,
  };
  const sweeper = startSweeper(parts);
  const submitJob = createSubmitJob(parts);
  const closers: (() => Promise<void>)[] = [];

  async function find(id: string): Promise<Job> {
    const job = await store.find({ id });
    assert.ok(job);
    return job;
  }

  /** Advances the clock until the job is in the state. */
  async function reach(id: string, state: JobState, withinMs = 60_000): Promise<Job> {
    for (let passedMs = 0; passedMs <= withinMs; passedMs += STEP_MS) {
      const job = await find(id);
      if (job.state === state) return job;
      await services.pass(STEP_MS);
    }
    return assert.fail(`the job is ${(await find(id)).state} and not ${state}`);
  }

  return {
    ...services,
    parts,
    runs,
    running,
    sweeper,
    find,
    reach,
    cancel: createCancelJob(parts),
    deadLetterDesk: createRetryDeadLetters(parts),
    run(next: Runner) {
      runner = next;
    },
    chooseBy(next: ChooseProvider) {
      choose = next;
    },
    async submit(fields: object = {}) {
      const given = { prompt: 'hello', ...fields };
      return (await submitJob(given, { organizationId: 'acme', keyId: 'key_1' })).job;
    },
    startDispatcher() {
      const dispatcher = startDispatcher(parts);
      closers.push(() => dispatcher.close());
      return dispatcher;
    },
    startWorker(concurrency = 1) {
      const worker = startWorker(parts, { queue: PROVIDER_QUEUE, concurrency });
      closers.push(() => worker.close(AbortSignal.abort()));
      return worker;
    },
    start() {
      this.startDispatcher();
      this.startWorker();
    },
    /** Consumes one message of a queue, as another system would. */
    async take(name: string): Promise<{ id: string; body: Record<string, unknown> }> {
      const taken = Promise.withResolvers<{ id: string; body: string }>();
      const consumer = queue.consume(name, { concurrency: 1 }, (delivery) => {
        taken.resolve(delivery);
        void consumer.close();
        return Promise.resolve('ack');
      });
      const { id, body } = await taken.promise;
      await consumer.close();
      return { id, body: JSON.parse(body) };
    },
    now: () => clock.now(),
    async close() {
      await sweeper.close();
      for (const close of closers) await close();
      await services.close();
    },
  };
}

export function success(output: string): RunOutcome {
  const result = { provider: 'openai', model: 'gpt-5', output, response: { output } };
  return { kind: 'succeeded', result: { ...result, usage: NO_USAGE, costNanos: 2_500_000 } };
}

export const OUTAGE: Verdict = {
  code: 'PROVIDER_UNAVAILABLE',
  params: { reason: 'error' },
  retryable: true,
};

/** A call that only ends when it is aborted. */
export const untilAborted: Runner = (_run, signal) =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ kind: 'failed', verdict: OUTAGE }));
  });
