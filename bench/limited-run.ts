// One run of messages through a gateway of its own against a limit that is half of them: started, filled, waited for, read,
// stopped. Names on the broker and in Redis are the run's own, so that no count and no message of one run meets
// another. When something does not come out in time the run ends all the same, and the report says what is lost.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Services } from '../test/support/services/services.ts';
import type { ChildProgram } from './child-program.ts';
import { type CounterOf, readCounters } from './gateway-counters.ts';
import { MessageReport } from './programs/message-tally.ts';
import { type RedisWork, readRedisWork, workBetween } from './redis-work.ts';
import type { Stage } from './stage.ts';
import type { Subject } from './subject.ts';

export type LimitedLoad = {
  readonly messages: number;
  readonly perWindow: number;
  readonly windowMs: number;
};

export type LimitedRun = MessageReport & {
  /** From the first message in to the last result out. */
  readonly tookMs: number;
  /** Put back by the worker, because the provider's limit had no room. */
  readonly requeued: number;
  /** Put off by the dispatcher, before they came to the provider's queue. */
  readonly putOff: number;
  /** Of the raw queue and of the provider's together. */
  readonly deliveries: number;
  readonly redis: RedisWork;
  /** When each call came to the provider. */
  readonly callsAt: readonly number[];
};

export type LimitedRunOptions = {
  readonly name: string;
  readonly load: LimitedLoad;
  readonly services: Pick<Services, 'databaseUrl' | 'redisUrl' | 'rabbitmqUrl'>;
  readonly upstream: { readonly port: number; readonly program: ChildProgram };
  /** Whether the dispatcher asks the limit too, or the worker alone. */
  readonly hasTwoTiers: boolean;
};

const Moments = z.array(z.number());
/** As many as the row `jobs` has in hand. */
const IN_HAND = 32;
/** The limit itself takes two windows; what has not come out after so many more will not. */
const WINDOWS_OF_PATIENCE = 6;
const START_PATIENCE_MS = 10_000;

export async function runLimited(stage: Stage, options: LimitedRunOptions): Promise<LimitedRun> {
  const { name, load, services, upstream } = options;
  const queues = { raw: `${name}-raw`, results: `${name}-results`, deadLetters: `${name}-dlq` };
  const ends = stage.startProgram('programs/message-ends.ts');
  await ends.ask('open', { url: services.rabbitmqUrl, ...queues });
  const gateway = await startLimited(stage, options, queues);
  await upstream.program.ask('watch');
  stage.progress(name);
  const before = await readRedisWork(services.redisUrl);
  const tookMs = await workOff(ends, load);
  const redis = workBetween(before, await readRedisWork(services.redisUrl));
  const counterOf = await readCounters(gateway.port, stage.signal);
  await gateway.stop();
  const report = MessageReport.parse(await ends.ask('report'));
  const callsAt = Moments.parse(await upstream.program.ask('moments'));
  await ends.stop();
  return { ...report, ...passages(counterOf, load), tookMs, redis, callsAt };
}

type QueueNames = { readonly raw: string; readonly results: string; readonly deadLetters: string };

function startLimited(
  stage: Stage,
  { name, load, services, upstream, hasTwoTiers }: LimitedRunOptions,
  { raw, results, deadLetters }: QueueNames,
): Promise<Subject> {
  const env = {
    DATABASE_URL: services.databaseUrl,
    REDIS_URL: services.redisUrl,
    RABBITMQ_URL: services.rabbitmqUrl,
    MIGRATE_ON_START: 'true',
    REDIS_KEY_PREFIX: `${name}:`,
    RAW_ANALYSIS_QUEUE: raw,
    RESULTS_QUEUE: results,
    DLQ_QUEUE: deadLetters,
    ANTHROPIC_QUEUE: `${name}-anthropic`,
    ANTHROPIC_RATE_LIMIT: String(load.perWindow),
    PROVIDER_FIXED: 'anthropic',
    RATE_LIMIT_ENABLED: String(hasTwoTiers),
    WORKER_CONCURRENCY: String(IN_HAND),
  };
  return stage.startSubject(upstream.port, env, async (folder) => {
    await mkdir(folder, { recursive: true });
    const file = { providers: { anthropic: { windowMs: load.windowMs } } };
    await writeFile(join(folder, 'spillway.yaml'), JSON.stringify(file));
  });
}

async function workOff(ends: ChildProgram, { messages, windowMs }: LimitedLoad): Promise<number> {
  const patienceMs = START_PATIENCE_MS + WINDOWS_OF_PATIENCE * windowMs;
  const run = ends.ask('run', { count: messages, patienceMs }, 2 * patienceMs);
  return z.number().parse(await run);
}

/** Every delivery to a worker ends in a permit or back on the queue; the dispatcher lets through or puts off. */
function passages(counterOf: CounterOf, { messages }: LimitedLoad) {
  const requeued = counterOf('worker.ratelimit.requeued');
  const putOff = counterOf('dispatcher.ratelimit.delayed');
  const toWorker = counterOf('worker.ratelimit.allowed') + requeued;
  return { requeued, putOff, deliveries: messages + putOff + toWorker };
}
