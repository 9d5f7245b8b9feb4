// Starts this process's dispatcher. Other systems' messages come from the raw queue. Callers' jobs come from the
// store's queue of the same name; with a broker they then wait in the store's tenant queues of their provider until
// they are released.

import type { Config } from '../../config/config.ts';
import { createChooseProvider } from '../../flow/jobs/choose-provider.ts';
import { createDispatchMetrics } from '../../flow/jobs/dispatch-metrics.ts';
import { createQueueMetrics } from '../../flow/jobs/queue-metrics.ts';
import type { DispatchLimit, DispatchScope } from '../../flow/pacing/dispatch-limit.ts';
import { createDispatchLog } from '../../flow/telemetry/dispatch-log.ts';
import { recordDispatch } from '../../flow/telemetry/job-spans.ts';
import { pointersQueueOf } from '../../jobs/model/job-pointer.ts';
import { type DispatcherParts, startDispatcher } from '../../jobs/pipeline/dispatch-job.ts';
import { startRelease } from '../../jobs/pipeline/release-jobs.ts';
import type { WorkerParts } from '../../jobs/pipeline/work-job.ts';
import type { Consumer, JobQueue } from '../../jobs/ports/job-queue.ts';
import { createProviderStrategy } from '../../routing/provider-strategy.ts';
import {
  openDispatchLimit,
  openIsFailing,
  openIsLimited,
  openOwnCircuitWait,
} from '../job-limits.ts';
import { openProviderLoads } from '../provider-loads.ts';
import type { JobsContext } from './jobs-context.ts';
import { measureQueues } from './measure-queues.ts';
import { returningQueueOf } from './open-queue.ts';

/**
 * The broker gets the jobs that a provider's limit admits within this time; the rest wait in the tenant queues. The more jobs
 * are released ahead, the longer a quiet tenant waits behind the released jobs of a busy one.
 */
const RELEASE_AHEAD_MS = 500;
const MIN_RELEASED_AHEAD = 4;

/** Returns a function that starts the dispatcher: it may be stopped and started again. */
export function openDispatcher(
  config: Config,
  context: JobsContext,
  parts: WorkerParts,
): () => Consumer {
  const { queues, serve, metrics, clock } = context;
  const measured = createDispatchMetrics(metrics, clock);
  const queueMetrics = createQueueMetrics(metrics, clock);
  const dispatchLog = createDispatchLog(context.log, clock, config.dispatcher.id);
  context.lifecycle.onClose('dispatch log', () => dispatchLog.close());
  const limit = openDispatchLimit(config, serve, measured);
  const { rawQueue } = config.jobs;
  const { brokered } = queues;
  const returningQueue = brokered && returningQueueOf(rawQueue);
  const shared: Omit<DispatcherParts, 'source' | 'rawQueue'> = {
    ...parts,
    returningQueue,
    sharesQueues: queues.areShared,
    concurrency: queues.dispatchConcurrency,
    chooseProvider: chooseProvider(config, context, limit),
    onDispatched(dispatched) {
      dispatchLog.count(dispatched);
      if (serve.tracer) recordDispatch(serve.tracer, dispatched, config.dispatcher.id);
    },
  };
  const sources = brokered
    ? [
        { source: brokered.tenantQueues, rawQueue },
        ...(config.jobs.intakeEnabled ? [{ source: brokered.broker, rawQueue }] : []),
        { source: brokered.broker, rawQueue: returningQueueOf(rawQueue) },
      ]
    : [{ source: queues.queue, rawQueue }];
  return () => {
    const running = [
      ...sources.map((each) => startDispatcher({ ...shared, ...each })),
      ...(brokered ? startReleases(config, context, limit) : []),
      measureQueues(config, context, measured, queueMetrics),
    ];
    return {
      async close() {
        await Promise.all(running.map((each) => each.close()));
      },
    };
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
    ownCircuitWait: openOwnCircuitWait(config, breakers),
    isFailing: openIsFailing(breakers),
    loads: strategy === 'LEAST_LOADED' ? openProviderLoads(config, context) : undefined,
    clock,
  });
}

function startReleases(
  config: Config,
  { queues: { brokered, areShared }, store, serve, clock }: JobsContext,
  limit: DispatchLimit | undefined,
): readonly Consumer[] {
  if (!brokered) return [];
  const { tenantQueues: held } = brokered;
  const isLimited = openIsLimited(config, serve);
  const scopeOf = (provider: string): DispatchScope => ({
    provider,
    isUsable: (account) => !isLimited(account, { provider, model: undefined }),
  });
  const broker = areShared ? publishingPointers(brokered.broker) : brokered.broker;
  return Object.values(config.providers).map((provider) =>
    startRelease({
      held,
      broker,
      store: store.jobs,
      queue: provider.queue,
      clock,
      maxAhead: limit && maxReleasedAhead(provider),
      waitForSlot: async (signal) =>
        limit ? limit.waitForSlot(scopeOf(provider.name), signal) : !signal.aborted,
    }),
  );
}

function maxReleasedAhead({ rateLimitPerMinute, windowMs }: Config['providers'][string]): number {
  const admitted = Math.ceil((rateLimitPerMinute * RELEASE_AHEAD_MS) / windowMs);
  return Math.max(MIN_RELEASED_AHEAD, admitted);
}

/** Foreign workers consume the provider queue too, and cannot read pointers. */
function publishingPointers(broker: JobQueue): Pick<JobQueue, 'publish' | 'depth'> {
  return {
    publish: (queue, message, options) => broker.publish(pointersQueueOf(queue), message, options),
    depth: (queue) => broker.depth(pointersQueueOf(queue)),
  };
}
