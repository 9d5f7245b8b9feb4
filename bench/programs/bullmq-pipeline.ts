// The gateway's pipeline built by hand on BullMQ: three queues on a Redis that fsyncs every write, a row per job on
// intake, a call to the provider, and the result and the job's end in one transaction. No limits, budgets, usage,
// events or attempts. Orders make the process a worker or the two ends.

import { type ConnectionOptions, Queue, Worker } from 'bullmq';
import { Pool } from 'pg';
import { request } from 'undici';
import { z } from 'zod';
import { IN_HAND as AT_ONCE, PROMPT } from './job-load.ts';
import { serveOrders } from './serve-orders.ts';

const Addresses = z.object({ redis: z.string(), database: z.string(), upstreamPort: z.number() });
const Count = z.object({ redis: z.string(), count: z.number().int().positive() });

const [RAW, PROVIDER, RESULTS] = ['bench-bull-raw', 'bench-bull-provider', 'bench-bull-results'];
const TABLES = `
  create table if not exists bench_bull_jobs (id text primary key, message text not null, state text not null);
  create table if not exists bench_bull_results (job_id text primary key, result text not null)`;
const FINISH = `with done as (update bench_bull_jobs set state = 'succeeded' where id = $1 returning id)
  insert into bench_bull_results (job_id, result) select id, $2 from done`;

type Message = { readonly AnalysisId: string; readonly prompt: string };
type Answer = { readonly AnalysisId: string; readonly response: string };

let sent = 0;

serveOrders({
  async work(args) {
    const { redis, database, upstreamPort } = Addresses.parse(args);
    const connection = connectionTo(redis);
    const pool = new Pool({ connectionString: database, max: 10 });
    await pool.query(TABLES);
    const provider = new Queue<Message>(PROVIDER, { connection });
    const results = new Queue<Answer>(RESULTS, { connection });
    await startWorker<Message>(RAW, connection, async (message) => {
      const { AnalysisId: id } = message;
      const values = [id, JSON.stringify(message), 'queued'];
      await pool.query(
        'insert into bench_bull_jobs (id, message, state) values ($1, $2, $3)',
        values,
      );
      await provider.add('job', message, { jobId: id, removeOnComplete: true });
    });
    await startWorker<Message>(PROVIDER, connection, async ({ AnalysisId, prompt }) => {
      const response = await callProvider(upstreamPort, prompt);
      await pool.query(FINISH, [AnalysisId, response]);
      const answer = { AnalysisId, response };
      await results.add('result', answer, { jobId: AnalysisId, removeOnComplete: true });
    });
  },
  async fill(args) {
    const { redis, count } = Count.parse(args);
    const raw = new Queue<Message>(RAW, { connection: connectionTo(redis) });
    for (let done = 0; done < count; done += AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - done) }, () => send(raw)));
    await raw.close();
  },
  /** Resolves when `count` results have arrived. */
  async drain(args) {
    const { redis, count } = Count.parse(args);
    const { promise: all, resolve } = Promise.withResolvers<void>();
    let arrived = 0;
    const worker = await startWorker<Answer>(RESULTS, connectionTo(redis), async () => {
      arrived += 1;
      if (arrived === count) resolve();
    });
    await all;
    await worker.close();
  },
});

function connectionTo(redis: string): ConnectionOptions {
  const { hostname: host, port, password } = new URL(redis);
  return { host, port: Number(port), password, maxRetriesPerRequest: null };
}

async function send(raw: Queue<Message>): Promise<void> {
  sent += 1;
  const message = { AnalysisId: `${process.pid}-${sent}`, prompt: PROMPT };
  await raw.add('job', message, { jobId: message.AnalysisId, removeOnComplete: true });
}

async function startWorker<T>(
  queue: string,
  connection: ConnectionOptions,
  handle: (data: T) => Promise<void>,
): Promise<Worker<T>> {
  const worker = new Worker<T>(queue, async ({ data }) => handle(data), {
    connection,
    concurrency: AT_ONCE,
  });
  await worker.waitUntilReady();
  return worker;
}

async function callProvider(port: number, prompt: string): Promise<string> {
  const { statusCode, body } = await request(`http://127.0.0.1:${port}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'bench',
      max_tokens: 64,
      messages: [{ role: 'user', content: prompt }],
    }),
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`The provider answered ${statusCode}`);
  return text;
}
