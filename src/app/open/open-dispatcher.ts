// The dispatcher of this process. Messages of other systems come from the raw queue; jobs of callers from the store's
// queue of the same name, and with a broker they are held on the store again, per provider, until they are released.

import type { Config } from '../../config/config.ts';
import { createChooseProvider } from '../../flow/jobs/choose-provider.ts';
import { createDispatchMetrics, type DispatchMetrics } from '../../flow/jobs/dispatch-metrics.ts';
import type { DispatchLimit } from '../../flow/pacing/dispatch-limit.ts';
import { type DispatcherParts, startDispatcher } from '../../jobs/pipeline/dispatch-job.ts';
import { startRelease } from '../../jobs/pipeline/release-jobs.ts';
import type { WorkerParts } from '../../jobs/pipeline/work-job.ts';
import type { Consumer, JobQueue } from '../../jobs/ports/job-queue.ts';
import type { CancelTimer } from '../../kernel/clock.ts';
import { createProviderStrategy } from '../../routing/provider-strategy.ts';
import { openDispatchLimit } from '../job-limits.ts';
import type { JobsContext } from './open-jobs.ts';
import { returningQueueOf } from './open-queue.ts';

/** What the limits serve in so long may be with the workers; the rest is held in its fair order. */
const RELEASE_AHEAD_MS = 5000;
const FEWEST_READY = 20;
const MEASURE_EVERY_MS = 5000;

export function openDispatcher(config: Config, context: JobsContext, parts: WorkerParts): Consumer {
  const { queues, serve, metrics, clock } = context;
  const measured = createDispatchMetrics(metrics, clock);
  const limit = openDispatchLimit(config, serve, measured);
  const { rawQueue } = config.jobs;
  const { hold } = queues;
  const returningQueue = hold && returningQueueOf(rawQueue);
  const shared: Omit<DispatcherParts, 'source' | 'rawQueue'> = {
    ...parts,
    returningQueue,
    concurrency: queues.dispatchConcurrency,
    chooseProvider: chooseProvider(config, context, limit),
  };
  const sources = hold
    ? [
        { source: hold.held, rawQueue },
        { source: hold.broker, rawQueue },
        { source: hold.broker, rawQueue: returningQueueOf(rawQueue) },
      ]
    : [{ source: queues.queue, rawQueue }];
  const running = [
    ...sources.map((each) => startDispatcher({ ...shared, ...each })),
    ...(hold ? startReleases(config, context, limit) : []),
    measureDelayed(config, context, measured),
  ];
  return {
    async close() {
      await Promise.all(running.map((each) => each.close()));
    },
  };
}

function chooseProvider(config: Config, context: JobsContext, limit: DispatchLimit | undefined) {
  const { limits, resolveTargets, breakers, clock } = context.serve;
  const { strategy, overflow, rateLimitDelayMs } = config.dispatcher;
  return createChooseProvider({
    providers: new Map(Object.entries(config.providers)),
    resolveTargets,
    chooseOrder: createProviderStrategy(config.dispatcher),
    overflow,
    limits,
    dispatchLimit: limit,
    fixedDelayMs: rateLimitDelayMs,
    isBroken: (provider, region) => breakers.heldBy(provider, region) === 'failures',
    loads: strategy === 'LEAST_LOADED' ? () => loadsOf(config, context.queues.queue) : undefined,
    clock,
  });
}

/** Minutes of work that wait for each provider, at the rate it allows. */
async function loadsOf(config: Config, queue: JobQueue): Promise<ReadonlyMap<string, number>> {
  const loads = Object.values(config.providers).map(async (provider) => {
    const { ready, delayed, inFlight } = await queue.depth(provider.queue);
    return [provider.name, (ready + delayed + inFlight) / provider.rateLimitPerMinute] as const;
  });
  return new Map(await Promise.all(loads));
}

function startReleases(
  config: Config,
  { queues: { hold }, store, clock }: JobsContext,
  limit: DispatchLimit | undefined,
): readonly Consumer[] {
  if (!hold) return [];
  return Object.values(config.providers).map((provider) =>
    startRelease({
      ...hold,
      store: store.jobs,
      queue: provider.queue,
      clock,
      mostReady: limit && mostReady(provider),
      waitForTurn: async (signal) =>
        limit ? limit.waitForTurn(provider.name, signal) : !signal.aborted,
    }),
  );
}

function mostReady({ rateLimitPerMinute, windowMs }: Config['providers'][string]): number {
  return Math.max(FEWEST_READY, Math.ceil((rateLimitPerMinute * RELEASE_AHEAD_MS) / windowMs));
}

/** Keeps the gauge of what waits for its moment; a queue that cannot be asked keeps its last figure. */
function measureDelayed(
  config: Config,
  { queues: { queue, hold }, clock }: JobsContext,
  measured: DispatchMetrics,
): Consumer {
  const names = [
    config.jobs.rawQueue,
    ...(hold ? [returningQueueOf(config.jobs.rawQueue)] : []),
    ...Object.values(config.providers)
      .filter((provider) => provider.hasKey)
      .map((provider) => provider.queue),
  ];
  let cancel: CancelTimer = () => {};
  let measuring = Promise.resolve();
  let isClosed = false;

  async function measure(): Promise<void> {
    for (const name of names) measured.delayedDepth(name, (await queue.depth(name)).delayed);
  }

  function again(): void {
    measuring = measure().catch(() => {});
    void measuring.then(() => {
      if (!isClosed) cancel = clock.after(MEASURE_EVERY_MS, again);
    });
  }

  again();
  return {
    async close() {
      isClosed = true;
      cancel();
      await measuring;
    },
  };
}
