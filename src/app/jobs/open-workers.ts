// Starts the workers of this process, one per provider. With a broker each provider has two queues: its own, and the
// pointers queue. Where foreign workers consume the provider's queue too, the worker consumes the pointers queue and
// takes messages over to it; else it consumes the provider's queue, and takes back what is left on the pointers queue.

import type { Config, ProviderConfig } from '../../config/config.ts';
import { createAssignProvider } from '../../flow/jobs/assign-provider.ts';
import { pointersQueueOf } from '../../jobs/model/job-pointer.ts';
import { startTakeOver } from '../../jobs/pipeline/take-over-message.ts';
import { startWorker, type Worker, type WorkerParts } from '../../jobs/pipeline/work-job.ts';
import type { Consumer } from '../../jobs/ports/job-queue.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { JobsContext } from './jobs-context.ts';

/** Messages taken over ahead of the calls: enough that no slot waits for the broker. */
const READY_PER_SLOT = 4;
const MIN_READY = 20;

/** Closing finishes the running jobs within the drain time and returns the rest to the queue. */
export function startWorkers(
  config: Config,
  context: JobsContext,
  parts: WorkerParts,
  providers: readonly ProviderConfig[],
): Consumer {
  const takeOvers = providers.flatMap((provider) =>
    startTakeOvers(config, context, ownParts(parts, context, provider), provider),
  );
  const workers = providers.map((provider) => {
    const { concurrency, prefetch } = config.worker;
    const { queue } = provider;
    const consumed = context.queues.areShared ? pointersQueueOf(queue) : queue;
    const own = ownParts(parts, context, provider);
    return startWorker(own, { queue: consumed, concurrency, prefetch });
  });
  return {
    async close() {
      await Promise.all(takeOvers.map((each) => each.close()));
      await closeWorkers(workers, config, context.clock);
    },
  };
}

function ownParts(parts: WorkerParts, { serve }: JobsContext, provider: ProviderConfig) {
  return { ...parts, assignProvider: createAssignProvider(provider, serve.resolveTargets) };
}

function startTakeOvers(
  config: Config,
  { queues: { queue, brokered, areShared } }: JobsContext,
  parts: WorkerParts,
  provider: ProviderConfig,
): readonly Consumer[] {
  if (!brokered) return [];
  const { concurrency } = config.worker;
  const [shared, own] = [provider.queue, pointersQueueOf(provider.queue)];
  const taking = { ...parts, publishResult: undefined, queue };
  const move = { concurrency, isShared: areShared };
  if (!areShared) return [startTakeOver(taking, { ...move, from: own, to: shared })];
  if (!config.jobs.intakeEnabled) return [];
  const maxReady = Math.max(MIN_READY, READY_PER_SLOT * concurrency);
  return [startTakeOver(taking, { ...move, from: shared, to: own, maxReady })];
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
