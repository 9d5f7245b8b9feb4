// The two ends of a queue benchmark in their own process: publishes messages and counts results. It is also the bare
// loop that the pipeline is compared with: consume, publish with a confirm, acknowledge, three times.

import { Connection, type Consumer, type Publisher } from 'rabbitmq-client';
import { z } from 'zod';
import { IN_HAND as AT_ONCE, PROMPT } from './job-load.ts';
import { serveOrders } from './serve-orders.ts';

const Addresses = z.object({ url: z.string(), queues: z.array(z.string()).min(1) });
const Load = z.object({ queue: z.string(), count: z.number().int().positive() });
const Loop = z.object({ queues: z.array(z.string()).length(4), count: z.number().int() });

let connection: Connection | undefined;
let publisher: Publisher | undefined;
let sent = 0;

serveOrders({
  async open(args) {
    const { url, queues } = Addresses.parse(args);
    connection = new Connection(url);
    await connection.onConnect(10_000);
    for (const queue of queues) await connection.queueDeclare({ queue, durable: true });
    publisher = connection.createPublisher({ confirm: true });
  },
  async fill(args) {
    const { queue, count } = Load.parse(args);
    for (let done = 0; done < count; done += AT_ONCE)
      await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, count - done) }, () => send(queue, newMessage())),
      );
  },
  /** Resolves to the milliseconds until `count` messages have left the queue. */
  drain(args) {
    const { queue, count } = Load.parse(args);
    return timed(count, (arrived) => [consume(queue, async () => arrived())]);
  },
  /** The same for the bare loop, from the first queue to the last. */
  loop(args) {
    const { queues, count } = Loop.parse(args);
    const [first = '', second = '', third = '', last = ''] = queues;
    return timed(count, (arrived) => [
      consume(first, (body) => send(second, body)),
      consume(second, (body) => send(third, body)),
      consume(third, (body) => send(last, body)),
      consume(last, async () => arrived()),
    ]);
  },
});

function newMessage(): object {
  sent += 1;
  return { AnalysisId: `${process.pid}-${sent}`, prompt: PROMPT };
}

async function send(queue: string, body: unknown): Promise<void> {
  if (!publisher) throw new Error('The order `open` must come first');
  await publisher.send({ routingKey: queue, durable: true, mandatory: true }, body);
}

function consume(queue: string, handle: (body: unknown) => Promise<void>): Consumer {
  if (!connection) throw new Error('The order `open` must come first');
  const options = {
    queue,
    queueOptions: { passive: true },
    qos: { prefetchCount: AT_ONCE },
    concurrency: AT_ONCE,
  };
  return connection.createConsumer(options, async ({ body }) => handle(body));
}

async function timed(
  count: number,
  start: (arrived: () => void) => readonly Consumer[],
): Promise<number> {
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const startedAt = performance.now();
  let arrived = 0;
  const consumers = start(() => {
    arrived += 1;
    if (arrived === count) resolve();
  });
  await all;
  const tookMs = performance.now() - startedAt;
  await Promise.all(consumers.map((consumer) => consumer.close()));
  return tookMs;
}
