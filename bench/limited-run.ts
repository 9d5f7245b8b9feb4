// One run of messages through its own gateway against a limit of half their number. The run ends after a bounded wait;
// the report counts missing messages as lost.

import { z } from 'zod';
import type { ChildProgram } from './processes/child-program.ts';
import { type CounterOf, readCounters } from './processes/gateway-counters.ts';
import { type EngineUrls, queuesOf, startLimitedGateway } from './processes/limited-gateway.ts';
import { type RedisWork, readRedisWork, workBetween } from './processes/redis-work.ts';
import { MessageReport } from './programs/message-tally.ts';
import type { Stage } from './stage.ts';

export type LimitedLoad = {
  readonly messages: number;
  readonly perWindow: number;
  readonly windowMs: number;
};

export type LimitedRun = MessageReport & {
  /** From the first published message to the last received result. */
  readonly tookMs: number;
  /** Messages that a worker requeued because the provider's limit was reached. */
  readonly requeued: number;
  /** Messages that the dispatcher delayed before they reached the provider's queue. */
  readonly putOff: number;
  /** Deliveries of the raw queue and the provider's queue together. */
  readonly deliveries: number;
  readonly redis: RedisWork;
  /** When each call arrived at the provider. */
  readonly callsAt: readonly number[];
};

export type LimitedRunOptions = {
  readonly name: string;
  readonly load: LimitedLoad;
  readonly services: EngineUrls;
  readonly upstream: { readonly port: number; readonly program: ChildProgram };
  /** Whether the dispatcher checks the limit too, or only the worker. */
  readonly hasTwoTiers: boolean;
};

const CallTimes = z.array(z.number());
const MAX_IN_FLIGHT = 32;
/** The limit alone needs two windows; a message missing after this many more is lost. */
const WINDOWS_OF_PATIENCE = 6;
const START_PATIENCE_MS = 10_000;

export async function runLimited(stage: Stage, options: LimitedRunOptions): Promise<LimitedRun> {
  const { name, load, services, upstream, hasTwoTiers } = options;
  const ends = stage.startProgram('programs/message-ends.ts');
  await ends.ask('open', { url: services.rabbitmqUrl, ...queuesOf(name) });
  const gateway = await startLimitedGateway(stage, {
    name,
    services,
    upstreamPort: upstream.port,
    perWindow: load.perWindow,
    window: { windowMs: load.windowMs },
    concurrency: MAX_IN_FLIGHT,
    env: { RATE_LIMIT_ENABLED: String(hasTwoTiers) },
  });
  await upstream.program.ask('watch');
  stage.progress(name);
  const before = await readRedisWork(services.redisUrl);
  const tookMs = await workOff(ends, load);
  const redis = workBetween(before, await readRedisWork(services.redisUrl));
  const counterOf = await readCounters(gateway.port, stage.signal);
  await gateway.stop();
  const report = MessageReport.parse(await ends.ask('report'));
  const callsAt = CallTimes.parse(await upstream.program.ask('callsAt'));
  await ends.stop();
  return { ...report, ...passages(counterOf, load), tookMs, redis, callsAt };
}

async function workOff(ends: ChildProgram, { messages, windowMs }: LimitedLoad): Promise<number> {
  const patienceMs = START_PATIENCE_MS + WINDOWS_OF_PATIENCE * windowMs;
  const run = ends.ask('run', { count: messages, patienceMs }, 2 * patienceMs);
  return z.number().parse(await run);
}

/**
 * Every delivery to a worker ends with a permit or is requeued; the dispatcher routes or delays each of its deliveries.
 */
function passages(counterOf: CounterOf, { messages }: LimitedLoad) {
  const requeued = counterOf('worker.ratelimit.requeued');
  const putOff = counterOf('dispatcher.ratelimit.delayed');
  const toWorker = counterOf('worker.ratelimit.allowed') + requeued;
  return { requeued, putOff, deliveries: messages + putOff + toWorker };
}
