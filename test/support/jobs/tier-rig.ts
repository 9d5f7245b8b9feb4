// Both tiers of the job pipeline on the test's store, queues and clock: the dispatcher with its limit, the release of
// callers' jobs, workers with their permits, and a provider that records when it is called. Several workers or dispatchers
// share one limiter, as processes share Redis.

import { createMemoryProviderLimits } from '../../../src/adapters/memory/provider-limits.ts';
import { createMemoryRateLimiter } from '../../../src/adapters/memory/rate-limiter.ts';
import { createChooseProvider } from '../../../src/flow/jobs/choose-provider.ts';
import { createDispatchMetrics } from '../../../src/flow/jobs/dispatch-metrics.ts';
import { createWorkerMetrics } from '../../../src/flow/jobs/worker-metrics.ts';
import { createDispatchLimit } from '../../../src/flow/pacing/dispatch-limit.ts';
import { createWorkerPermits } from '../../../src/flow/pacing/worker-permit.ts';
import { createSubmitJob } from '../../../src/jobs/intake/submit-job.ts';
import type { Job } from '../../../src/jobs/model/job.ts';
import { RETRY_DEFAULTS } from '../../../src/jobs/model/job-policy.ts';
import { type DispatcherParts, startDispatcher } from '../../../src/jobs/pipeline/dispatch-job.ts';
import {
  createPipelineQueue,
  type PipelineQueueParts,
} from '../../../src/jobs/pipeline/pipeline-queue.ts';
import { startRelease } from '../../../src/jobs/pipeline/release-jobs.ts';
import { createRunningJobs } from '../../../src/jobs/pipeline/running-jobs.ts';
import { startWorker } from '../../../src/jobs/pipeline/work-job.ts';
import type { JobQueue } from '../../../src/jobs/ports/job-queue.ts';
import type { JobRun } from '../../../src/jobs/ports/job-runner.ts';
import { type Clock, sleep } from '../../../src/kernel/clock.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { createMetrics, type Metrics } from '../../../src/kernel/metrics.ts';
import type { Limit, LimitTier, RateLimiter } from '../../../src/resilience/rate-limiter.ts';
import { createProviderStrategy } from '../../../src/routing/provider-strategy.ts';
import { createResolveTargets } from '../../../src/routing/resolve-targets.ts';
import { type JobServices, success } from '../../contract/jobs/job-rig.ts';
import { collectingLog } from '../stores/rabbit-rig.ts';

/** The default of the configuration. */
const GUARD_MS = 250;

/** As in flow/call/clear-attempt. */
const MAX_PERMIT_AGE_MS = 100;

/** Jobs that are released ahead of the workers. */
const MAX_AHEAD = 8;

export const PROVIDERS = ['gemini', 'openai'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

export type TierEngines = Pick<JobServices, 'store' | 'history' | 'deadLetters'> & {
  readonly clock: Clock;
  /** The store's own queues. */
  readonly tenantQueues: JobQueue;
  /** Absent for embedded storage. */
  readonly broker?: JobQueue | undefined;
  /** Makes a queue name unique to this test. */
  readonly name: (purpose: string) => string;
};

export type TierOptions = {
  readonly max: number;
  /** The provider's own limit where interactive calls use a part of it; `max` by default. */
  readonly workerMax?: number;
  readonly windowMs: number;
  readonly strategy?: 'FIXED' | 'COST_OPTIMIZED';
  readonly overflow?: 'next' | 'delay';
  readonly fixedDelayMs?: number | undefined;
  readonly isChecked?: boolean;
  readonly limiter?: RateLimiter;
  /** The duration of a call. */
  readonly callMs?: number;
};

export type Call = {
  readonly provider: string;
  readonly organizationId: string;
  readonly priority: number;
  readonly at: number;
};

export type TierRig = ReturnType<typeof createTierRig>;

export function createTierRig(engines: TierEngines, options: TierOptions) {
  const { broker, tenantQueues, name, clock } = engines;
  const brokered: PipelineQueueParts | undefined = broker && { broker, tenantQueues };
  const queue = brokered ? createPipelineQueue(brokered) : tenantQueues;
  const limiter = options.limiter ?? createMemoryRateLimiter(clock);
  const metrics = createMetrics();
  const log = collectingLog();
  const calls: Call[] = [];
  const closers: (() => Promise<void>)[] = [];
  const rawQueue = name('raw');
  const queueOf = (provider: string) => name(`${provider}-queue`);

  const limitFor = (tier: LimitTier, subject: string): Limit => ({
    tier,
    subject,
    kind: 'requests',
    max: options.max,
    windowMs: options.windowMs + GUARD_MS,
  });
  const providerLimit = (provider: string): Limit => ({
    ...limitFor('provider', provider),
    max: options.workerMax ?? options.max,
  });
  const dispatchLimit = createDispatchLimit({
    limiter,
    accounts: new Map(
      PROVIDERS.map((provider) => [
        provider,
        [{ account: 'default', limits: [limitFor('dispatcher', provider)] }],
      ]),
    ),
    metrics: createDispatchMetrics(metrics, clock),
    clock,
    newId,
  });
  const permits = createWorkerPermits({
    limiter,
    accounts: new Map(
      PROVIDERS.map((provider) => [
        provider,
        [{ account: 'default', limits: [providerLimit(provider)] }],
      ]),
    ),
    tokensOf: () => 0,
    metrics: createWorkerMetrics(metrics, clock, log),
    clock,
    newId,
  });

  /** Waits for the job's turn and renews a permit that is too old, as a call does. */
  async function keepPermit({ job, message, permit }: JobRun): Promise<void> {
    if (!permit) return;
    await permit.waitForTurn(new AbortController().signal);
    if (clock.monotonic() - permit.askedAtMs <= MAX_PERMIT_AGE_MS) return;
    permits.giveBack(permit);
    for (;;) {
      const answer = await permits.take(job, message, { dueAt: clock.now() });
      if (answer.kind === 'allowed') return;
      await sleep(clock, answer.afterMs);
    }
  }

  async function runJob(run: JobRun) {
    const { provider = '', organizationId, priority } = run.job;
    await keepPermit(run);
    calls.push({ provider, organizationId, priority, at: clock.now() });
    if (options.callMs) await sleep(clock, options.callMs);
    return success('done');
  }

  const isChecked = options.isChecked ?? true;
  const parts = {
    ...engines,
    queue,
    log,
    newId,
    clock,
    rawQueue,
    returningQueue: broker && name('raw-returning'),
    queues: broker ? { resultsQueue: name('results'), deadLetterQueue: name('dlq') } : {},
    deadLetterQueue: undefined,
    defaultOrganizationId: 'default',
    organizationExists: () => Promise.resolve(true),
    policy: RETRY_DEFAULTS,
    leaseMs: 30_000,
    workerId: 'worker-1',
    running: createRunningJobs(),
    permits,
    waitsInMemory: brokered === undefined,
    runJob,
    concurrency: broker ? 32 : 4,
    chooseProvider: createChooseProvider({
      providers: new Map(
        PROVIDERS.map((provider) => [
          provider,
          {
            name: provider,
            accounts: [{ name: 'default', region: 'global' }],
            queue: queueOf(provider),
            hasKey: true,
            defaultModel: `${provider}-default`,
          },
        ]),
      ),
      resolveTargets: createResolveTargets({
        providers: PROVIDERS.map((provider) => ({
          name: provider,
          format: 'openai' as const,
          baseUrl: 'https://p.example',
          region: 'global',
          accounts: [{ name: 'default', apiKey: 'k' }],
          models: [`${provider}-*`],
        })),
        aliases: [],
        loadOf: () => 0,
      }),
      chooseOrder: createProviderStrategy({
        strategy: options.strategy ?? 'FIXED',
        fixedProvider: 'gemini',
        availableProviders: PROVIDERS,
        priorityOrder: PROVIDERS,
        weights: {},
        metadata: {},
      }),
      overflow: options.overflow ?? 'delay',
      limits: createMemoryProviderLimits(clock),
      dispatchLimit: isChecked ? dispatchLimit : undefined,
      fixedDelayMs: options.fixedDelayMs,
      clock,
    }),
  } satisfies Omit<DispatcherParts, 'source'> & Record<string, unknown>;
  const submitJob = createSubmitJob(parts);

  return {
    ...parts,
    calls,
    entries: log.entries,
    queueOf,
    metricOf: (metric: string) => totalOf(metrics, metric),
    async publishRaw(count: number, to = rawQueue) {
      const ids = Array.from({ length: count }, () => newId('msg'));
      const bodies = ids.map((id) => JSON.stringify({ AnalysisId: id, prompt: 'hello' }));
      for (let index = 0; index < count; index += 200)
        await Promise.all(
          bodies
            .slice(index, index + 200)
            .map((body, at) =>
              (broker ?? tenantQueues).publish(to, { id: ids[index + at] ?? '', body }),
            ),
        );
    },
    async submit(organizationId: string, fields: object = {}) {
      const asked = { prompt: 'hello', model: 'gemini-1', ...fields };
      return (await submitJob(asked, { organizationId, keyId: 'key_1' })).job;
    },
    startDispatcher() {
      const { returningQueue } = parts;
      const sources = [
        { source: tenantQueues, rawQueue },
        ...(broker ? [{ source: broker, rawQueue }] : []),
        ...(broker && returningQueue ? [{ source: broker, rawQueue: returningQueue }] : []),
      ];
      for (const each of sources) {
        const dispatcher = startDispatcher({ ...parts, ...each });
        closers.push(() => dispatcher.close());
      }
      for (const provider of brokered ? PROVIDERS : []) {
        const release = startRelease({
          ...parts,
          held: tenantQueues,
          broker: broker ?? tenantQueues,
          queue: queueOf(provider),
          maxAhead: isChecked ? MAX_AHEAD : undefined,
          waitForSlot: async (signal) =>
            isChecked ? dispatchLimit.waitForSlot({ provider }, signal) : !signal.aborted,
        });
        closers.push(() => release.close());
      }
    },
    startWorker(provider: ProviderName, concurrency = 4) {
      const assignProvider = (job: Job): Job => ({ ...job, provider });
      const own = { ...parts, assignProvider };
      const worker = startWorker(own, { queue: queueOf(provider), concurrency });
      closers.push(() => worker.close(AbortSignal.abort()));
    },
    async close() {
      for (const close of closers) await close();
      await limiter.close();
    },
  };
}

function totalOf(metrics: Metrics, name: string): number {
  const metric = metrics.collect().find((each) => each.name === name);
  if (!metric || metric.kind === 'histogram') return 0;
  return [...metric.series.values()].reduce((sum, { cell }) => sum + cell.value, 0);
}

/** The maximum number of calls in any window of this length. */
export function mostWithin(calls: readonly Pick<Call, 'at'>[], spanMs: number): number {
  const moments = calls.map(({ at }) => at).toSorted((a, b) => a - b);
  let most = 0;
  let from = 0;
  for (const [index, at] of moments.entries()) {
    while (at - (moments[from] ?? at) >= spanMs) from += 1;
    most = Math.max(most, index - from + 1);
  }
  return most;
}
