// Jobs end to end: from the raw queue through dispatcher and worker to the results queue, on RabbitMQ, Redis and
// PostgreSQL with a provider that answers immediately. Compared with a bare loop of three hops on the same broker,
// which stores and decides nothing, and with BullMQ, which stores a job and its result. All process the same number of
// 1 KiB messages with the same number in flight per hop and are filled while they run; the time counts from the first
// message published to the last result. The two comparisons run one after the other, so that work left for the engines
// by one subject affects only its own comparison.

import type { BenchRow } from '../bench-row.ts';
import { type BullSubject, openBull } from '../bullmq-subject.ts';
import type { ChildProgram } from '../processes/child-program.ts';
import { startEngines } from '../processes/start-engines.ts';
import { IN_HAND } from '../programs/job-load.ts';
import { figureOf, ratioOf } from '../report/statistics.ts';
import type { Stage } from '../stage.ts';

const RAW = 'bench-raw';
const RESULTS = 'bench-results';
const BARE = ['bench-1', 'bench-2', 'bench-3', 'bench-4'];
/** About the pipeline's throughput, so that filling and emptying it are a small part of a round. */
const MESSAGES_PER_SECOND_OF_ROUND = 2000;
const PATIENCE_MS = 180_000;
/** Concurrent calls; further messages in flight are storing or publishing their result. */
const CALLS_AT_ONCE = 64;

export const row: BenchRow = {
  name: 'jobs',
  title: 'jobs end to end on RabbitMQ, Redis and PostgreSQL',
  order: 6,
  canCalibrate: false,
  goals: [
    {
      key: 'rate',
      what: 'jobs a second, against a bare loop of three hops',
      atLeast: 0.4,
      unit: '×',
    },
    {
      key: 'bullmq',
      what: 'jobs a second, against BullMQ with every write on disk',
      atLeast: 1,
      unit: '×',
    },
  ],
  async run(stage) {
    const { ends, bull } = await openPipeline(stage);
    const count = Math.round(stage.pace.seconds * MESSAGES_PER_SECOND_OF_ROUND);
    const jobs = () => jobRate(ends, count);
    const loop = await contest(stage, 'the bare loop', () => bareRate(ends, count), jobs);
    const bullmq = await contest(stage, 'BullMQ', () => bullRate(bull, count), jobs);
    return {
      figures: {
        rate: ratioOf(loop.ours, loop.theirs),
        bullmq: ratioOf(bullmq.ours, bullmq.theirs),
      },
      side: [
        { what: 'bare loop of three hops', unit: 'per second', figure: figureOf(loop.theirs) },
        {
          what: 'jobs end to end in the same rounds',
          unit: 'per second',
          figure: figureOf(loop.ours),
        },
        { what: 'BullMQ, three queues', unit: 'per second', figure: figureOf(bullmq.theirs) },
        {
          what: 'jobs end to end in the same rounds',
          unit: 'per second',
          figure: figureOf(bullmq.ours),
        },
      ],
    };
  },
};

type Rates = { readonly theirs: number[]; readonly ours: number[] };

async function contest(
  stage: Stage,
  against: string,
  theirs: () => Promise<number>,
  ours: () => Promise<number>,
): Promise<Rates> {
  const { warmUpRounds, rounds } = stage.pace;
  const rates: Rates = { theirs: [], ours: [] };
  for (let turn = 0; turn < warmUpRounds + rounds; turn += 1) {
    const isWarmUp = turn < warmUpRounds;
    const what = isWarmUp ? 'warming up' : `round ${turn - warmUpRounds + 1} of ${rounds}`;
    stage.progress(`${against}: ${what}`);
    const [their, our] = [await theirs(), await ours()];
    if (isWarmUp) continue;
    rates.theirs.push(their);
    rates.ours.push(our);
  }
  return rates;
}

type Pipelines = { readonly ends: ChildProgram; readonly bull: BullSubject };

async function openPipeline(stage: Stage): Promise<Pipelines> {
  const services = await startEngines(stage);
  const ends = stage.startProgram('programs/queue-loop.ts');
  await ends.ask('open', { url: services.rabbitmqUrl, queues: [RAW, RESULTS, ...BARE] });
  const upstream = await stage.startUpstream(0);
  await stage.startSubject(upstream.port, {
    DATABASE_URL: services.databaseUrl,
    REDIS_URL: services.redisUrl,
    RABBITMQ_URL: services.rabbitmqUrl,
    MIGRATE_ON_START: 'true',
    RAW_ANALYSIS_QUEUE: RAW,
    RESULTS_QUEUE: RESULTS,
    PROVIDER_FIXED: 'anthropic',
    WORKER_CONCURRENCY: String(CALLS_AT_ONCE),
    PREFETCH: String(IN_HAND),
  });
  const { databaseUrl } = services;
  const bull = await openBull(stage, { databaseUrl, upstreamPort: upstream.port });
  return { ends, bull };
}

function bareRate(ends: ChildProgram, count: number): Promise<number> {
  const [first = ''] = BARE;
  return rateOf(ends, first, count, ends.ask('loop', { queues: BARE, count }, PATIENCE_MS));
}

function jobRate(ends: ChildProgram, count: number): Promise<number> {
  return rateOf(ends, RAW, count, ends.ask('drain', { queue: RESULTS, count }, PATIENCE_MS));
}

async function bullRate(bull: BullSubject, count: number): Promise<number> {
  const startedAt = performance.now();
  await bull.run(count, PATIENCE_MS);
  return (count * 1000) / (performance.now() - startedAt);
}

async function rateOf(
  ends: ChildProgram,
  queue: string,
  count: number,
  allOut: Promise<unknown>,
): Promise<number> {
  const startedAt = performance.now();
  await Promise.all([ends.ask('fill', { queue, count }, PATIENCE_MS), allOut]);
  return (count * 1000) / (performance.now() - startedAt);
}
