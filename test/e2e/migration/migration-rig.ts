// An existing system and Spillway on one broker: a producer, programs of both as processes, a consumer of the results, and the
// simulator's truth log, which says which system called the provider for which message.

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ChannelModel, type ConfirmChannel, connect } from 'amqplib';
import { sleep, systemClock } from '../../../src/kernel/clock.ts';
import type { TruthEntry } from '../../../src/simulator/simulator.ts';
import { digest, hashCredential } from '../../../src/simulator/truth/digest.ts';
import { promptRequest } from '../../../src/upstream/attempt/prompt-request.ts';
import { type ForeignProcess, startForeign } from '../../support/foreign/foreign-process.ts';
import type { SpillwayProcess } from '../../support/gateway/spillway-process.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

export const MODEL = 'gemini-2.5-flash';
export type System = 'ours' | 'theirs';

const FOREIGN_KEY = 'key-of-the-existing-system';
const MAX_OUTPUT_TOKENS = 4096;

export type MigrationRig = Awaited<ReturnType<typeof openMigrationRig>>;

/** `file`: the configuration file of Spillway; `env`: the variables of both systems. */
export async function openMigrationRig(file: object = {}, env: Record<string, string> = {}) {
  const services = servicesFromEnv(process.env);
  const folder = makeTempFolder();
  const cluster = await openTestCluster(services, folder, {
    PROVIDER_SELECTION_STRATEGY: 'FIXED',
    PROVIDER_FIXED: 'gemini',
    ...env,
  });
  writeFileSync(join(folder, 'spillway.yaml'), JSON.stringify(file));
  const broker = await openBroker(cluster);
  const foreign: ForeignProcess[] = [];
  const theirEnv = { ...cluster.env, GEMINI_API_KEY: FOREIGN_KEY, MODEL };
  const queueOf = (variable: string) => cluster.env[variable] ?? assert.fail(variable);

  async function start(role: readonly string[], own: Record<string, string> = {}) {
    const config = join(folder, 'spillway.yaml');
    return (await cluster.start([...role, '--config', config], own)).process;
  }

  return {
    cluster,
    simulator: cluster.simulator,
    ...broker,
    queueOf,
    start,
    /** All roles of Spillway in one process, and its API. */
    async startGateway() {
      const { url } = await cluster.start(['serve', '--config', join(folder, 'spillway.yaml')]);
      const headers = {
        authorization: `Bearer ${cluster.apiKey}`,
        'content-type': 'application/json',
      };
      return {
        async submit(fields: object): Promise<void> {
          const body = JSON.stringify(fields);
          const response = await fetch(`${url}/v1/jobs`, { method: 'POST', headers, body });
          assert.equal(response.status, 202);
        },
        async allSucceeded(ids: readonly string[]): Promise<void> {
          for (const id of ids)
            await eventually(async () => {
              const job: unknown = await (await fetch(`${url}/v1/jobs/${id}`, { headers })).json();
              return Reflect.get(Object(job), 'status') === 'succeeded';
            });
        },
      };
    },
    async startTheirs(program: 'dispatcher' | 'worker', own: Record<string, string> = {}) {
      const process = await startForeign(program, { ...theirEnv, ...own });
      foreign.push(process);
      return process;
    },
    /** Resolves when the next call of the system has reached the provider. */
    nextCall(system: System): Promise<TruthEntry> {
      const seen = cluster.simulator.log().at(-1)?.sequence ?? 0;
      return cluster.simulator.waitFor(
        (entry) => entry.sequence > seen && systemOf(entry) === system,
      );
    },
    answeredCalls: (ids: readonly string[]) => answeredCalls(cluster.simulator.log(), ids),
    async close() {
      for (const process of foreign) process.kill('SIGKILL');
      await broker.close();
      await cluster.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Polls, because a broker does not report that a queue has changed; the timeout is the suite's. */
export async function eventually(claim: () => Promise<boolean>): Promise<void> {
  while (!(await claim())) await sleep(systemClock, POLL_MS);
}

const POLL_MS = 50;

export async function killed(process: SpillwayProcess | ForeignProcess): Promise<void> {
  process.kill('SIGKILL');
  await process.ended();
}

export async function stopped(process: SpillwayProcess): Promise<void> {
  process.kill('SIGTERM');
  await process.ended();
}

/** The prompt names the message, so that the digest of a call's body does too. */
export function messageOf(id: string) {
  return { AnalysisId: id, organizationId: 'default', prompt: `Analyse ${id}.`, tag: `own-${id}` };
}

function systemOf({ credentialHash }: TruthEntry): System {
  return credentialHash === hashCredential(FOREIGN_KEY) ? 'theirs' : 'ours';
}

/** How often each system was answered for each message. A call that its caller's death cut off has no answer. */
function answeredCalls(log: readonly TruthEntry[], ids: readonly string[]) {
  const idOf = new Map(ids.flatMap((id) => digestsOf(id).map((each) => [each, id] as const)));
  const calls = new Map(ids.map((id) => [id, { ours: 0, theirs: 0 }]));
  for (const entry of log) {
    const counts = calls.get(idOf.get(entry.bodyDigest ?? '') ?? '');
    assert.ok(counts, 'each call belongs to a message');
    if (entry.outcome === 'ok') counts[systemOf(entry)] += 1;
  }
  return calls;
}

function digestsOf(id: string): readonly string[] {
  const text = messageOf(id).prompt;
  const theirs = { contents: [{ role: 'user', parts: [{ text }] }] };
  const formats = ['gemini', 'openai'] as const;
  const ours = formats.map((format) =>
    promptRequest(format, format === 'gemini' ? MODEL : 'gpt-5-mini', {
      text,
      images: [],
      maxOutputTokens: MAX_OUTPUT_TOKENS,
    }),
  );
  return [theirs, ...ours].map((body) => digest(JSON.stringify(body)));
}

async function openBroker({ env }: TestCluster) {
  const url = env['RABBITMQ_URL'] ?? '';
  const connection: ChannelModel = await connect(url);
  const channel: ConfirmChannel = await connection.createConfirmChannel();
  const names = [
    'RAW_ANALYSIS_QUEUE',
    'RESULTS_QUEUE',
    'DLQ_QUEUE',
    'GEMINI_QUEUE',
    'OPENAI_QUEUE',
  ];
  for (const name of names) await channel.assertQueue(env[name] ?? '', { durable: true });
  const results = new Map<string, Record<string, unknown>[]>();
  const waiters = new Set<() => void>();
  await channel.consume(env['RESULTS_QUEUE'] ?? '', (message) => {
    if (!message) return;
    const result = JSON.parse(message.content.toString('utf8'));
    const id = String(result.AnalysisId);
    results.set(id, [...(results.get(id) ?? []), result]);
    channel.ack(message);
    for (const wake of waiters) wake();
  });
  let published = 0;

  return {
    channel,
    results,
    /** Resolves with the new ids when the broker has confirmed all messages. */
    async publish(count: number, queue = env['RAW_ANALYSIS_QUEUE'] ?? ''): Promise<string[]> {
      const ids = Array.from({ length: count }, () => `A${(published += 1)}`);
      for (const id of ids)
        channel.sendToQueue(queue, Buffer.from(JSON.stringify(messageOf(id))), {
          persistent: true,
          contentType: 'application/json',
        });
      await channel.waitForConfirms();
      return ids;
    },
    /** Messages ready for delivery; 0 for a queue that does not exist. */
    async ready(queue: string): Promise<number> {
      const own = await connection.createChannel();
      own.on('error', () => {});
      const counted = await own.checkQueue(queue).catch(() => ({ messageCount: 0 }));
      await own.close().catch(() => {});
      return counted.messageCount;
    },
    /** Resolves when every id has a result. */
    async allResults(ids: readonly string[], count = ids.length): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      const check = () => {
        if (ids.filter((id) => results.has(id)).length >= count) resolve();
      };
      waiters.add(check);
      check();
      await promise;
      waiters.delete(check);
    },
    async close() {
      for (const name of names) await channel.deleteQueue(env[name] ?? '');
      await connection.close();
    },
  };
}
