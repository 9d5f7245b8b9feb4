// Where a broker carries the queues, the store's own queue is the outbox: what a transaction announces is
// written there with it, and the relay carries it to the broker, confirmed, before it is taken off. A crash in
// between delivers a message twice, which fences and message ids make harmless; none is forgotten.

import type { Consumer, JobQueue } from '../ports/job-queue.ts';

const MESSAGES_AT_ONCE = 128;

export type RelayParts = {
  readonly outbox: Pick<JobQueue, 'consume'>;
  readonly broker: Pick<JobQueue, 'publish'>;
  /** Every queue that announcements can name. */
  readonly queues: readonly string[];
};

export function startRelay({ outbox, broker, queues }: RelayParts): Consumer {
  const consumers = queues.map((queue) =>
    outbox.consume(queue, { concurrency: MESSAGES_AT_ONCE }, async ({ id, body }) => {
      await broker.publish(queue, { id: idIn(body) ?? id, body });
      return 'ack';
    }),
  );
  return {
    async close() {
      await Promise.all(consumers.map((consumer) => consumer.close()));
    },
  };
}

/** Whoever reads the queue knows the job by the id it gave; ours is kept where the body has none. */
function idIn(body: string): string | undefined {
  const [, first] = ID_FIRST.exec(body) ?? [];
  return first ?? idAnywhereIn(body);
}

/** As results begin, which are long: the rest of them need not be read. */
const ID_FIRST = /^\{"id":"([^"\\]+)"/;

function idAnywhereIn(body: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || parsed === null || !('id' in parsed)) return undefined;
    return typeof parsed.id === 'string' && parsed.id !== '' ? parsed.id : undefined;
  } catch {
    return undefined;
  }
}
