// Submits the requests of a trace as jobs from its own process: each at its time, independent of earlier answers (an
// open loop). Afterwards it reads the outcome of its jobs. An unacknowledged job is not sent again and counts as lost.

import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from 'rabbitmq-client';
import { Pool } from 'undici';
import { z } from 'zod';
import { traceJob } from '../trace/trace-job.ts';
import { serveOrders } from './serve-orders.ts';
import { type Intake, Replay, type ReplayReport } from './trace-order.ts';

const CONNECTIONS = 64;
const POLL_MS = 500;
const CONNECT_WITHIN_MS = 10_000;
const ENDED = new Set(['succeeded', 'failed', 'cancelled', 'expired']);
const View = z.object({ status: z.string() });
const Wait = z.object({ patienceMs: z.number().positive() });

type Client = {
  readonly pool: Pool;
  readonly headers: Record<string, string>;
  /** Resolves when the job is durable; rejects without an acknowledgement. */
  readonly submit: (body: string) => Promise<void>;
};

let client: Client | undefined;
/** Acknowledged jobs. */
let submitted: readonly string[] = [];

serveOrders({
  async replay(args): Promise<ReplayReport> {
    const { run, speed, trace, ...intake } = Replay.parse(args);
    client = await openClient(intake);
    const startedAt = now();
    const dueAts = trace.map(({ atMs }) => startedAt + atMs / speed);
    const sending: Promise<number | null>[] = [];
    const ids: string[] = [];
    for (const [index, traced] of trace.entries()) {
      const { id, body } = traceJob(run, index, traced);
      const waitMs = (dueAts[index] ?? 0) - now();
      if (waitMs > 1) await sleep(waitMs);
      ids.push(id);
      sending.push(acknowledgedAtOf(client.submit(body)));
    }
    const acknowledgedAt = await Promise.all(sending);
    submitted = ids.filter((_, index) => acknowledgedAt[index] !== null);
    return { dueAts, acknowledgedAt };
  },
  /** Number of jobs by final state; jobs that have not ended within the time limit are `open`. */
  async endings(args): Promise<Record<string, number>> {
    const deadline = now() + Wait.parse(args).patienceMs;
    const counts: Record<string, number> = {};
    let open = submitted;
    for (;;) {
      const states = await statesOf(open);
      for (const state of states.values())
        if (ENDED.has(state)) counts[state] = (counts[state] ?? 0) + 1;
      open = open.filter((id) => !ENDED.has(states.get(id) ?? ''));
      if (open.length === 0 || now() > deadline) return { ...counts, open: open.length };
      await sleep(POLL_MS);
    }
  },
});

/** A timestamp on the clock that all processes of this machine share, with the resolution of the monotonic clock. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

async function openClient({ port, headers, broker }: Intake): Promise<Client> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS });
  const client = { pool, headers: { ...headers, 'content-type': 'application/json' } };
  if (broker === undefined) return { ...client, submit: (body) => post(client, body) };
  const connection = new Connection(broker.url);
  await connection.onConnect(CONNECT_WITHIN_MS);
  const publisher = connection.createPublisher({ confirm: true });
  const envelope = { routingKey: broker.queue, durable: true, mandatory: true };
  return { ...client, submit: (body) => publisher.send(envelope, Buffer.from(body)) };
}

async function post({ pool, headers }: Pick<Client, 'pool' | 'headers'>, body: string) {
  const answer = await pool.request({ method: 'POST', path: '/v1/jobs', headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 202) throw new Error(`The gateway answered ${answer.statusCode}`);
}

/** The time of the acknowledgement; null without one. */
function acknowledgedAtOf(done: Promise<void>): Promise<number | null> {
  return done.then(now, () => null);
}

async function statesOf(ids: readonly string[]): Promise<Map<string, string>> {
  const states = new Map<string, string>();
  const rest = ids.values();
  const readAll = async (): Promise<void> => {
    for (const id of rest) states.set(id, await stateOf(id));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, readAll));
  return states;
}

async function stateOf(id: string): Promise<string> {
  if (!client) throw new Error('No jobs were submitted');
  const { pool, headers } = client;
  const answer = await pool.request({ method: 'GET', path: `/v1/jobs/${id}`, headers });
  const view = View.safeParse(await answer.body.json().catch(() => undefined));
  return view.success ? view.data.status : 'unknown';
}
