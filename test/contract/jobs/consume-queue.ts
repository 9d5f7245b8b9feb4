// Reads a queue from a contract test.

import type { DeliveryOutcome, JobQueue } from '../../../src/jobs/ports/job-queue.ts';

export function ack(): Promise<DeliveryOutcome> {
  return Promise.resolve('ack');
}

export async function depth(queue: JobQueue) {
  const { ready, delayed, inFlight } = await queue.depth('q');
  return { ready, delayed, inFlight };
}

/** Consumes one message at a time until `count` were delivered. */
export async function collect(queue: JobQueue, name: string, count: number) {
  const got: { id: string; body: string; deliveries: number }[] = [];
  const enough = Promise.withResolvers<void>();
  const consumer = queue.consume(name, { concurrency: 1 }, (delivery) => {
    got.push(delivery);
    if (got.length >= count) enough.resolve();
    return ack();
  });
  await enough.promise;
  await consumer.close();
  return got;
}
