// The figures of the queues: the queues of providers with a key, then the raw queue. A queue that cannot be read has null
// figures; the others are not affected.

import type { Config } from '../../config/config.ts';
import type { QueueFigures } from '../../dashboard/api/jobs.ts';
import type { JobFigures } from '../../jobs/ports/job-figures.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Queues } from '../jobs/open-queue.ts';

/** The number of due times that are examined for each provider's next one. */
const MAX_DUE_JOBS = 200;

export async function readQueues(
  config: Config,
  parts: { readonly queues: Queues; readonly figures: JobFigures; readonly clock: Clock },
): Promise<readonly QueueFigures[]> {
  const providers = Object.values(config.providers).filter(({ hasKey }) => hasKey);
  const named = [
    ...providers.map(({ name, queue }) => ({ queue, provider: name })),
    { queue: config.jobs.rawQueue, provider: null },
  ];
  const due = await parts.figures.nextDue(parts.clock.now(), MAX_DUE_JOBS).catch(() => []);
  return Promise.all(
    named.map(async ({ queue, provider }) => {
      const depth = await parts.queues.queue.depth(queue).catch(() => undefined);
      const next = due.find((job) => (job.provider ?? null) === provider);
      return {
        queue,
        provider,
        ready: depth?.ready ?? null,
        delayed: depth?.delayed ?? null,
        running: depth?.inFlight ?? null,
        oldestAt: depth?.oldestAt ?? null,
        nextDueAt: next?.runAt ?? null,
      };
    }),
  );
}
