// Both ends of the pipeline as a foreign system: publishes to the raw queue with confirms, and reads results and
// dead-letter copies. While the broker is unavailable a message is sent again under its id until it is confirmed. A
// result is acknowledged after it has been recorded here.

import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from 'rabbitmq-client';
import type { QueueNames } from './installation-settings.ts';

export type BrokerEnds = {
  /** Resolves when the broker has confirmed it. */
  publish(queue: string, body: string, signal: AbortSignal): Promise<void>;
  /** The bodies that arrived for a job's id, in order. */
  readonly results: ReadonlyMap<string, readonly string[]>;
  readonly deadLetters: readonly string[];
  close(): Promise<void>;
};

const AGAIN_AFTER_MS = 200;
const AT_ONCE = 64;
const GOODBYE_WITHIN_MS = 2_000;

export async function openBrokerEnds(url: string, names: QueueNames): Promise<BrokerEnds> {
  const connection = new Connection({
    url,
    retryLow: 200,
    retryHigh: 1_000,
    acquireTimeout: 3_000,
  });
  // The driver reconnects automatically; pending operations reject.
  connection.on('error', () => {});
  await connection.onConnect(10_000);
  const declare = (queue: string) => connection.queueDeclare({ queue, durable: true });
  for (const queue of Object.values(names)) await declare(queue);
  const publisher = connection.createPublisher({ confirm: true });
  const results = new Map<string, string[]>();
  const deadLetters: string[] = [];
  const listen = (queue: string, take: (body: string, id: string) => void) => {
    const consumer = connection.createConsumer(
      {
        queue,
        // Declared on every connection: a broker that lost its data has lost the queue as well.
        queueOptions: { durable: true },
        qos: { prefetchCount: AT_ONCE },
      },
      async (message) => {
        take(textOf(message.body), message.messageId ?? '');
      },
    );
    consumer.on('error', () => {});
    return consumer;
  };
  const consumers = [
    listen(names.results, (body, id) => results.set(id, [...(results.get(id) ?? []), body])),
    listen(names.deadLetters, (body) => deadLetters.push(body)),
  ];
  return {
    results,
    deadLetters,
    async publish(routingKey, body, signal) {
      const envelope = { routingKey, durable: true, mandatory: true };
      for (;;) {
        signal.throwIfAborted();
        const isConfirmed = await publisher.send(envelope, Buffer.from(body)).then(
          () => true,
          () => false,
        );
        if (isConfirmed) return;
        await declare(routingKey).catch(() => {});
        await sleep(AGAIN_AFTER_MS, undefined, { signal });
      }
    },
    async close() {
      const closing = Promise.all([publisher, ...consumers].map((each) => each.close()));
      // Closing fails while the broker is unavailable.
      await Promise.race([closing.catch(() => {}), sleep(GOODBYE_WITHIN_MS)]);
      connection.unsafeDestroy();
    },
  };
}

/** The driver parses bodies with the content type JSON. */
function textOf(body: unknown): string {
  if (Buffer.isBuffer(body)) return body.toString('utf8');
  return typeof body === 'string' ? body : JSON.stringify(body);
}
