// The pipeline's queues in an installation with a broker. Messages of other systems travel on the broker, first in,
// first out. Jobs of callers wait in the store's tenant queues, which are served in turn and by priority, until
// `release-jobs` moves them to the broker's queue of the same name. Publishers and readers do not know on which of the
// two a message is.

import type { JobQueue } from '../ports/job-queue.ts';

export type PipelineQueueParts = { readonly broker: JobQueue; readonly tenantQueues: JobQueue };

export function createPipelineQueue({ broker, tenantQueues }: PipelineQueueParts): JobQueue {
  return {
    ...(broker.longestDelayMs !== undefined && { longestDelayMs: broker.longestDelayMs }),
    publish(queue, message, options) {
      const isCallers = message.tenant !== undefined;
      return (isCallers ? tenantQueues : broker).publish(queue, message, options);
    },
    consume: (queue, options, handler) => broker.consume(queue, options, handler),
    async depth(queue) {
      const [released, waiting] = await Promise.all([
        broker.depth(queue),
        tenantQueues.depth(queue),
      ]);
      return {
        ready: released.ready + waiting.ready,
        delayed: released.delayed + waiting.delayed,
        inFlight: released.inFlight + waiting.inFlight,
        oldestAt: waiting.oldestAt ?? released.oldestAt,
      };
    },
    /** A message is missing if neither has it. */
    async missing(queue, messages) {
      const absent = new Set(await tenantQueues.missing(queue, messages));
      const rest = messages.filter(({ id }) => absent.has(id));
      return rest.length === 0 ? [] : broker.missing(queue, rest);
    },
    ahead: (queue, messageId) => tenantQueues.ahead(queue, messageId),
    close: () => broker.close(),
  };
}
