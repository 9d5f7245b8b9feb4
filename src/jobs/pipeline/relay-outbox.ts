// Relays the outbox to the broker. In an installation with a broker the store's queues are the outbox: a transaction
// writes its messages there, and the relay publishes each with a confirm before it deletes it. A crash in between
// publishes a message twice, which fences and message ids make harmless; none is lost.

import type { Consumer, JobQueue } from '../ports/job-queue.ts';

const RELAY_CONCURRENCY = 128;

export type RelayParts = {
  readonly outbox: Pick<JobQueue, 'consume'>;
  readonly broker: Pick<JobQueue, 'publish'>;
  /** Every queue that outbox messages can name. */
  readonly queues: readonly string[];
};

export function startRelay({ outbox, broker, queues }: RelayParts): Consumer {
  const consumers = queues.map((queue) =>
    outbox.consume(queue, { concurrency: RELAY_CONCURRENCY }, async ({ id, body }) => {
      await broker.publish(queue, { id: publicId(body) ?? id, body });
      return 'ack';
    }),
  );
  return {
    async close() {
      await Promise.all(consumers.map((consumer) => consumer.close()));
    },
  };
}

/** Readers of the queue know the job by its public id; a body without one keeps the outbox id. */
function publicId(body: string): string | undefined {
  const [, first] = ID_FIRST.exec(body) ?? [];
  return first ?? parsedId(body);
}

/** Results start with their id and can be long: this avoids parsing them. */
const ID_FIRST = /^\{"id":"([^"\\]+)"/;

function parsedId(body: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || parsed === null || !('id' in parsed)) return undefined;
    return typeof parsed.id === 'string' && parsed.id !== '' ? parsed.id : undefined;
  } catch {
    return undefined;
  }
}
