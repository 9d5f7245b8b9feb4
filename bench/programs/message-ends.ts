// A foreign system at both ends of the pipeline, in its own process: publishes to the raw queue, reads the results
// queue and the dead-letter queue, and tallies both by message id. Its wait is bounded, because a lost message never
// arrives.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from 'rabbitmq-client';
import { z } from 'zod';
import { MessageTally } from './message-tally.ts';
import { serveOrders } from './serve-orders.ts';

const Addresses = z.object({
  url: z.string(),
  raw: z.string(),
  results: z.string(),
  deadLetters: z.string(),
});
const Load = z.object({ count: z.number().int().positive(), patienceMs: z.number().positive() });
const Result = z.object({ AnalysisId: z.string(), status: z.string() });
const DeadLetter = z.object({ AnalysisId: z.string() });

type Ends = {
  readonly send: (id: string) => Promise<void>;
  readonly tally: MessageTally;
  /** Called after every result. */
  onResult: () => void;
};

const AT_ONCE = 64;

let ends: Ends | undefined;

serveOrders({
  async open(args) {
    ends = await openEnds(Addresses.parse(args));
  },
  /**
   * Resolves to the milliseconds from the first published message to the last result, or to the end of the bounded
   * wait.
   */
  async run(args) {
    const { count, patienceMs } = Load.parse(args);
    const { tally, send } = opened();
    const ids = Array.from({ length: count }, () => randomUUID());
    for (const id of ids) tally.expect(id);
    const allTold = new Promise<void>((resolve) => {
      opened().onResult = () => tally.hasAnswersFor(count) && resolve();
    });
    const startedAt = performance.now();
    const filled = fill(ids, send);
    await Promise.race([
      Promise.all([filled, allTold]),
      sleep(patienceMs, undefined, { ref: false }),
    ]);
    return performance.now() - startedAt;
  },
  report: () => opened().tally.report(),
});

function opened(): Ends {
  if (!ends) throw new Error('The order `open` must come first');
  return ends;
}

async function openEnds({
  url,
  raw,
  results,
  deadLetters,
}: z.infer<typeof Addresses>): Promise<Ends> {
  const connection = new Connection(url);
  await connection.onConnect(10_000);
  for (const queue of [raw, results, deadLetters]) {
    await connection.queueDeclare({ queue, durable: true });
    // A broker named by the environment may still have messages of an interrupted run.
    await connection.queuePurge({ queue });
  }
  const publisher = connection.createPublisher({ confirm: true });
  const tally = new MessageTally();
  const made: Ends = { send, tally, onResult: () => {} };
  consume(connection, results, (body) => {
    const { AnalysisId: id, status } = Result.parse(body);
    tally.noteResult(id, status);
    made.onResult();
  });
  consume(connection, deadLetters, (body) => {
    tally.noteDeadLetter(DeadLetter.parse(body).AnalysisId);
  });
  function send(id: string): Promise<void> {
    const envelope = { routingKey: raw, durable: true, mandatory: true };
    return publisher.send(envelope, { AnalysisId: id, prompt: 'Hello' });
  }
  return made;
}

function consume(connection: Connection, queue: string, take: (body: unknown) => void): void {
  const options = { queue, queueOptions: { passive: true }, qos: { prefetchCount: AT_ONCE } };
  connection.createConsumer(options, async ({ body }) => take(body));
}

async function fill(ids: readonly string[], send: Ends['send']): Promise<void> {
  for (let done = 0; done < ids.length; done += AT_ONCE)
    await Promise.all(ids.slice(done, done + AT_ONCE).map(send));
}
