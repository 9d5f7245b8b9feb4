// Starts this process's part of the job pipeline: dispatcher, one worker per provider with a key, sweeper, pruning. On
// shutdown it accepts no further job, finishes the running ones within the drain time and returns the rest to the queue.

import { DEFAULT_ORGANIZATION_ID } from '../../admission/organization.ts';
import type { WorkerState } from '../../cluster/server-record.ts';
import type { Config } from '../../config/config.ts';
import { createFetchImages } from '../../flow/jobs/fetch-images.ts';
import { ImageQuota } from '../../flow/jobs/image-quota.ts';
import { createPrepareJob } from '../../flow/jobs/prepare-job.ts';
import { createRunJob } from '../../flow/jobs/run-job.ts';
import { startReceiveTrace } from '../../flow/telemetry/job-spans.ts';
import { logRun } from '../../flow/telemetry/log-run.ts';
import { createReadRawMessage } from '../../jobs/intake/raw-message.ts';
import { createRecentJobs } from '../../jobs/intake/recent-jobs.ts';
import { createSubmitJob, type SubmitJob } from '../../jobs/intake/submit-job.ts';
import type { Job } from '../../jobs/model/job.ts';
import {
  createJobEstimator,
  createRunDurations,
  type JobEstimate,
  type RunDurations,
} from '../../jobs/model/job-estimate.ts';
import { RETRY_DEFAULTS } from '../../jobs/model/job-policy.ts';
import { type AdvanceDelayed, createAdvanceDelayed } from '../../jobs/pipeline/advance-delayed.ts';
import { type CancelJob, createCancelJob } from '../../jobs/pipeline/cancel-job.ts';
import { startJobPruning } from '../../jobs/pipeline/prune-jobs.ts';
import {
  createRetryDeadLetters,
  type RetryDeadLetters,
} from '../../jobs/pipeline/retry-dead-letter.ts';
import { createRunCounts, type RunCounts } from '../../jobs/pipeline/run-counts.ts';
import { createRunningJobs, type RunningJobs } from '../../jobs/pipeline/running-jobs.ts';
import { startSweeper } from '../../jobs/pipeline/sweep-jobs.ts';
import { createUnfinishedJobs, type UnfinishedJobs } from '../../jobs/pipeline/unfinished-jobs.ts';
import type { EndedRun, WorkerParts } from '../../jobs/pipeline/work-job.ts';
import { createEgressRule } from '../../kernel/egress-rule.ts';
import { newId } from '../../kernel/ids.ts';
import { type Log, logFailure } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import { type PausableWork, startPausableWork } from '../../kernel/pausable-work.ts';
import { openOwnCircuitWait, openWorkerPermits } from '../job-limits.ts';
import type { JobsContext } from './jobs-context.ts';
import { openDispatcher } from './open-dispatcher.ts';
import { startWorkers } from './open-workers.ts';

export type JobOperations = {
  readonly submit: SubmitJob;
  readonly estimate: (job: Job) => Promise<JobEstimate>;
  readonly cancel: CancelJob;
  readonly unfinished: UnfinishedJobs;
  readonly deadLetters: RetryDeadLetters;
  readonly advanceDelayed: AdvanceDelayed;
};

/** The state of the jobs that this process runs. */
type JobMemory = {
  readonly running: RunningJobs;
  readonly durations: RunDurations;
  readonly runs: RunCounts;
};

function newJobMemory(): JobMemory {
  return { running: createRunningJobs(), durations: createRunDurations(), runs: createRunCounts() };
}

/** The operations of callers and operators on jobs. */
export function openJobOperations(
  config: Config,
  context: Pick<JobsContext, 'store' | 'queues' | 'clock'>,
  { running, durations }: JobMemory = newJobMemory(),
): JobOperations {
  const { store, clock } = context;
  const { queue, final } = context.queues;
  const { rawQueue } = config.jobs;
  const egress = createEgressRule(config.egress.allowHosts);
  const cancel = createCancelJob({ store: store.jobs, running, clock, queues: final });
  return {
    submit: createSubmitJob({ store: store.jobs, rawQueue, clock, newId, egress }),
    estimate: createJobEstimator({
      queue,
      clock,
      durations,
      capacityOf: (provider) => ({
        concurrency: config.worker.concurrency,
        perMinute:
          provider === undefined ? undefined : config.providers[provider]?.rateLimitPerMinute,
      }),
    }),
    cancel,
    unfinished: createUnfinishedJobs({ store: store.jobs, cancel }),
    advanceDelayed: createAdvanceDelayed({ store: store.jobs, queue, clock }),
    deadLetters: createRetryDeadLetters({
      store: store.jobs,
      deadLetters: store.deadLetters,
      queue,
      rawQueue,
      clock,
    }),
  };
}

export type JobRoles = {
  readonly isDispatcher: boolean;
  /** The providers with a queue that this process consumes. */
  readonly workedProviders: readonly string[];
};

export type OpenedJobs = {
  readonly operations: JobOperations;
  /** The consumers of the queues; undefined for a process that consumes none. */
  readonly pipeline: PausableWork | undefined;
  /** The load of this process's workers, one per provider. */
  readonly workers: () => readonly WorkerState[];
};

/** Starts the dispatcher and worker roles that this process has; the lifecycle closes them. */
export async function openJobs(
  config: Config,
  context: JobsContext,
  roles: JobRoles,
): Promise<OpenedJobs> {
  const { lifecycle, clock } = context;
  const memory = newJobMemory();
  const operations = openJobOperations(config, context, memory);
  if (!roles.isDispatcher && roles.workedProviders.length === 0)
    return { operations, pipeline: undefined, workers: () => [] };
  const parts = workerParts(config, context, memory, roles);
  const sweeper = startSweeper({
    ...parts,
    store: context.store.jobs,
    queue: context.queues.queue,
  });
  lifecycle.onClose('sweeper', () => sweeper.close());
  const pruning = startJobPruning({
    ...config.retention,
    retention: context.store.retention,
    clock,
    log: context.log,
  });
  lifecycle.onClose('job pruning', () => pruning.close());
  // Jobs that ran when the last process died are requeued before a new one is taken. If the store or the broker is
  // unavailable now, a later sweep requeues them.
  await sweeper
    .sweep()
    .catch((cause: unknown) =>
      logFailure(context.log, 'jobs could not be swept; the next sweep tries again', cause),
    );
  const providers = roles.workedProviders
    .flatMap((name) => config.providers[name] ?? [])
    .filter((provider) => provider.hasKey);
  const startDispatcher = roles.isDispatcher ? openDispatcher(config, context, parts) : undefined;
  const pipeline = startPausableWork(() => {
    const workers = startWorkers(config, context, parts, providers);
    const dispatcher = startDispatcher?.();
    return {
      async close() {
        await dispatcher?.close();
        await workers.close();
      },
    };
  });
  lifecycle.onClose('dispatcher and workers', () => pipeline.close());
  const { concurrency } = config.worker;
  return {
    operations,
    pipeline,
    workers: () =>
      providers.map(({ name: provider }) => ({
        provider,
        concurrency,
        running: memory.runs.of(provider),
        averageRunMs: memory.durations.averageRunMs(provider),
      })),
  };
}

function workerParts(
  config: Config,
  context: JobsContext,
  { running, durations, runs }: JobMemory,
  roles: JobRoles,
): WorkerParts {
  const { store, clock, log, serve, metrics } = context;
  const { maxRetryAttempts, retryDelayMs, leaseMs, midStream } = config.jobs;
  const circuitWait = openOwnCircuitWait(config, serve.breakers);
  const recent = roles.workedProviders.length > 0 ? createRecentJobs() : undefined;
  return {
    store: recent?.remembering(store.jobs) ?? store.jobs,
    recent,
    queue: context.queues.queue,
    history: store.history,
    deadLetters: store.deadLetters,
    organizationExists: async (id) => (await store.organizations.find(id)) !== undefined,
    defaultOrganizationId: DEFAULT_ORGANIZATION_ID,
    running,
    circuitWaitMs: ({ provider = '', organizationId }) => circuitWait(provider, organizationId),
    prepareJob: createPrepareJob(createFetchImages(context.egress, clock), new ImageQuota(clock)),
    runJob: runs.counting(createRunJob({ ...serve, midStream })),
    permits: openWorkerPermits(config, serve, metrics, ownLimit(config, roles)),
    waitsInMemory: context.queues.brokered === undefined,
    policy: { ...RETRY_DEFAULTS, maxRetryAttempts, retryDelayMs },
    leaseMs,
    workerId: context.serverId,
    queues: context.queues.final,
    publishResult: context.queues.publishResult,
    deadLetterQueue: context.queues.final.deadLetterQueue,
    readRawMessage: createReadRawMessage(config.jobs.rawMessages),
    onRun: observeRuns(metrics, durations, log),
    startTrace: serve.tracer && startReceiveTrace(serve.tracer),
    clock,
    newId,
    log,
  };
}

/**
 * RATE_LIMIT is for one provider, so it applies only to a process that is a worker of one provider and has no other role.
 */
function ownLimit(config: Config, { isDispatcher, workedProviders }: JobRoles): number | undefined {
  const isOneProviderWorker = !isDispatcher && workedProviders.length === 1;
  return isOneProviderWorker ? config.worker.requestsPerMinute : undefined;
}

function observeRuns(metrics: Metrics, durations: RunDurations, log: Log): (run: EndedRun) => void {
  const succeeded = metrics.counter('worker.processing.success', 'Jobs succeeded.', ['provider']);
  const failed = metrics.counter('worker.processing.failed', 'Jobs failed and not retried.', [
    'provider',
  ]);
  return (run) => {
    const { job, to, durationMs } = run;
    logRun(log, run);
    durations.observe(job.provider, durationMs);
    if (to === 'succeeded') succeeded.cell(job.provider ?? 'none').value += 1;
    if (to === 'failed') failed.cell(job.provider ?? 'none').value += 1;
  };
}
