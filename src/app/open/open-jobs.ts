// The pipeline of jobs in this process: dispatcher, one worker per provider with a key, sweeper. Told to
// stop, it takes no more, finishes what was started within the drain time and gives the rest back.

import { DEFAULT_ORGANIZATION_ID } from '../../admission/organization.ts';
import type { Config } from '../../config/config.ts';
import { createAdoptJob } from '../../flow/jobs/adopt-job.ts';
import { createFetchImages } from '../../flow/jobs/fetch-images.ts';
import { createRunJob } from '../../flow/jobs/run-job.ts';
import type { ServeParts } from '../../flow/serve/serve-request.ts';
import type { Job } from '../../jobs/model/job.ts';
import { createJobOutlook, createJobPaces, type JobPaces } from '../../jobs/model/job-outlook.ts';
import { RETRY_DEFAULTS } from '../../jobs/model/job-policy.ts';
import type { JobOutlook } from '../../jobs/model/job-view.ts';
import { type CancelJob, createCancelJob } from '../../jobs/pipeline/cancel-job.ts';
import { startForgetting } from '../../jobs/pipeline/forget-jobs.ts';
import { createRecentJobs } from '../../jobs/pipeline/recent-jobs.ts';
import {
  createRetryDeadLetters,
  type RetryDeadLetters,
} from '../../jobs/pipeline/retry-dead-letter.ts';
import { createRunningJobs, type RunningJobs } from '../../jobs/pipeline/running-jobs.ts';
import { createSubmitJob, type SubmitJob } from '../../jobs/pipeline/submit-job.ts';
import { startSweeper } from '../../jobs/pipeline/sweep-jobs.ts';
import type { EndedRun } from '../../jobs/pipeline/work-job.ts';
import { startWorker, type Worker, type WorkerParts } from '../../jobs/pipeline/work-job.ts';
import type { Egress } from '../../jobs/ports/egress.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createEgressRule } from '../../kernel/egress-rule.ts';
import { newId } from '../../kernel/ids.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import { openWorkerPermits } from '../job-limits.ts';
import { openDispatcher } from './open-dispatcher.ts';
import type { Queues } from './open-queue.ts';
import type { Store } from './open-store.ts';

export type JobsContext = {
  readonly store: Store;
  readonly queues: Queues;
  readonly serve: ServeParts;
  readonly egress: Egress;
  readonly serverId: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly lifecycle: Lifecycle;
};

export type JobDesk = {
  readonly submit: SubmitJob;
  readonly outlook: (job: Job) => Promise<JobOutlook>;
  readonly cancel: CancelJob;
  readonly deadLetters: RetryDeadLetters;
};

/** What this process knows of the jobs it runs itself. */
type JobMemory = { readonly running: RunningJobs; readonly paces: JobPaces };

function newJobMemory(): JobMemory {
  return { running: createRunningJobs(), paces: createJobPaces() };
}

/** What callers and operators do with jobs. */
export function openJobDesk(
  config: Config,
  context: Pick<JobsContext, 'store' | 'queues' | 'clock'>,
  { running, paces }: JobMemory = newJobMemory(),
): JobDesk {
  const { store, clock } = context;
  const { queue, final } = context.queues;
  const { rawQueue } = config.jobs;
  const egress = createEgressRule(config.egress.allowHosts);
  return {
    submit: createSubmitJob({ store: store.jobs, rawQueue, clock, newId, egress }),
    outlook: createJobOutlook({
      queue,
      clock,
      paces,
      capacityOf: (provider) => ({
        concurrency: config.worker.concurrency,
        perMinute:
          provider === undefined ? undefined : config.providers[provider]?.rateLimitPerMinute,
      }),
    }),
    cancel: createCancelJob({ store: store.jobs, running, clock, queues: final }),
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
  /** Whose queues are worked off here. */
  readonly workedProviders: readonly string[];
};

/** Runs the roles of dispatcher and worker, as far as they are this process's, until the lifecycle ends them. */
export async function openJobs(
  config: Config,
  context: JobsContext,
  roles: JobRoles,
): Promise<JobDesk> {
  const { lifecycle, clock } = context;
  const memory = newJobMemory();
  const desk = openJobDesk(config, context, memory);
  if (!roles.isDispatcher && roles.workedProviders.length === 0) return desk;
  const parts = workerParts(config, context, memory, roles);
  const sweeper = startSweeper({
    ...parts,
    store: context.store.jobs,
    queue: context.queues.queue,
  });
  lifecycle.onClose('sweeper', () => sweeper.close());
  const forgetting = startForgetting({
    ...config.retention,
    retention: context.store.retention,
    clock,
    log: context.log,
  });
  lifecycle.onClose('forgetting', () => forgetting.close());
  // Jobs that ran when the last process died are free again before the first new one is taken; where an engine is away at
  // this moment, they are soon after.
  await sweeper.sweep().catch((cause: unknown) => tellUnswept(context.log, cause));
  const { resolveTargets } = context.serve;
  const workers = roles.workedProviders
    .flatMap((name) => config.providers[name] ?? [])
    .filter((provider) => provider.hasKey)
    .map((provider) => {
      const { queue } = provider;
      const own = { ...parts, adoptJob: createAdoptJob(provider, resolveTargets) };
      const { concurrency, prefetch } = config.worker;
      return startWorker(own, { queue, concurrency, prefetch });
    });
  lifecycle.onClose('workers', () => closeWorkers(workers, config, clock));
  if (roles.isDispatcher) {
    const dispatcher = openDispatcher(config, context, parts);
    lifecycle.onClose('dispatcher', () => dispatcher.close());
  }
  return desk;
}

function workerParts(
  config: Config,
  context: JobsContext,
  { running, paces }: JobMemory,
  roles: JobRoles,
): WorkerParts {
  const { store, clock, log, serve, metrics } = context;
  const { maxRetryAttempts, retryDelayMs, leaseMs, midStream } = config.jobs;
  const recent = createRecentJobs();
  return {
    store: recent.remembering(store.jobs),
    recent,
    queue: context.queues.queue,
    history: store.history,
    deadLetters: store.deadLetters,
    organizationExists: async (id) => (await store.organizations.find(id)) !== undefined,
    defaultOrganizationId: DEFAULT_ORGANIZATION_ID,
    running,
    runJob: createRunJob({ ...serve, fetchImages: createFetchImages(context.egress), midStream }),
    permits: openWorkerPermits(config, serve, metrics, ownLimit(config, roles)),
    staysInHand: context.queues.hold === undefined,
    policy: { ...RETRY_DEFAULTS, maxRetryAttempts, retryDelayMs },
    leaseMs,
    workerId: context.serverId,
    queues: context.queues.final,
    tellResult: context.queues.tellResult,
    deadLetterQueue: context.queues.final.deadLetterQueue,
    onRun: observeRuns(metrics, paces),
    clock,
    newId,
    log,
  };
}

function tellUnswept(log: Log, cause: unknown): void {
  const reason = cause instanceof Error ? cause.message : String(cause);
  log.write({
    level: 'error',
    type: 'error',
    message: 'jobs could not be swept',
    metadata: { reason },
  });
}

/** RATE_LIMIT is one provider's, so only a process that is nothing but its worker goes by it. */
function ownLimit(config: Config, { isDispatcher, workedProviders }: JobRoles): number | undefined {
  const isOneProviderWorker = !isDispatcher && workedProviders.length === 1;
  return isOneProviderWorker ? config.worker.requestsPerMinute : undefined;
}

function observeRuns(metrics: Metrics, paces: JobPaces): (run: EndedRun) => void {
  const succeeded = metrics.counter('worker.processing.success', 'Jobs that succeeded.', [
    'provider',
  ]);
  const failed = metrics.counter('worker.processing.failed', 'Jobs that failed for good.', [
    'provider',
  ]);
  return ({ job, to, durationMs }) => {
    paces.observe(job.provider, durationMs);
    if (to === 'succeeded') succeeded.cell(job.provider ?? 'none').value += 1;
    if (to === 'failed') failed.cell(job.provider ?? 'none').value += 1;
  };
}

async function closeWorkers(
  workers: readonly Worker[],
  config: Config,
  clock: Clock,
): Promise<void> {
  const hurry = new AbortController();
  const cancel = clock.after(config.server.drainTimeoutMs, () => hurry.abort());
  await Promise.all(workers.map((worker) => worker.close(hurry.signal)));
  cancel();
}
