// The queues of a pipeline with a broker. Messages of other systems travel on the broker, first in, first out. Those of
// callers (they have a lane) are held on the store's queue of the same name, where lanes take turns and priorities
// count, until `release-jobs` passes them on. Whoever publishes, or asks for a message, need not know which is where.

import type { JobQueue } from '../ports/job-queue.ts';

export type HoldQueueParts = { readonly broker: JobQueue; readonly held: JobQueue };

export function createHoldQueue({ broker, held }: HoldQueueParts): JobQueue {
  return {
    ...(broker.longestDelayMs !== undefined && { longestDelayMs: broker.longestDelayMs }),
    publish(queue, message, options) {
      const isCallers = message.lane !== undefined;
      return (isCallers ? held : broker).publish(queue, message, options);
    },
    consume: (queue, options, handler) => broker.consume(queue, options, handler),
    async depth(queue) {
      const [sent, waiting] = await Promise.all([broker.depth(queue), held.depth(queue)]);
      return {
        ready: sent.ready + waiting.ready,
        delayed: sent.delayed + waiting.delayed,
        inFlight: sent.inFlight + waiting.inFlight,
        oldestAt: waiting.oldestAt ?? sent.oldestAt,
      };
    },
    /** Missing is what neither has. */
    async missing(queue, messages) {
      const notHeld = new Set(await held.missing(queue, messages));
      const asked = messages.filter(({ id }) => notHeld.has(id));
      return asked.length === 0 ? [] : broker.missing(queue, asked);
    },
    ahead: (queue, messageId) => held.ahead(queue, messageId),
    close: () => broker.close(),
  };
}
