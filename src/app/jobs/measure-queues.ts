// Measures the queues of the pipeline and the dead letters at an interval. While a queue or the store is unavailable its
// gauges keep their last values.

import type { Config } from '../../config/config.ts';
import type { DispatchMetrics } from '../../flow/jobs/dispatch-metrics.ts';
import type { QueueMetrics } from '../../flow/jobs/queue-metrics.ts';
import type { Consumer } from '../../jobs/ports/job-queue.ts';
import { every } from '../../kernel/every.ts';
import type { JobsContext } from './jobs-context.ts';
import { returningQueueOf } from './open-queue.ts';

const MEASURE_INTERVAL_MS = 5000;

export function measureQueues(
  config: Config,
  { queues: { queue, brokered }, store, clock }: JobsContext,
  dispatch: DispatchMetrics,
  measured: QueueMetrics,
): Consumer {
  const { rawQueue } = config.jobs;
  const names = [
    rawQueue,
    ...(brokered ? [returningQueueOf(rawQueue)] : []),
    ...Object.values(config.providers)
      .filter((provider) => provider.hasKey)
      .map((provider) => provider.queue),
  ];

  async function measureQueue(name: string): Promise<void> {
    const depth = await queue.depth(name);
    measured.depth(name, depth);
    dispatch.delayedDepth(name, depth.delayed);
  }

  async function measure(): Promise<void> {
    for (const name of names) await measureQueue(name);
    measured.deadLetters(await store.deadLetters.count());
  }

  const measuring = every(clock, MEASURE_INTERVAL_MS, measure);
  void measuring.runNow().catch(() => {});
  return measuring;
}
