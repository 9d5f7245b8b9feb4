// BullMQ as something to measure: a Redis of its own that is told to write every change to the disk before it answers, one
// process that works and one that is its far ends. A Redis that the environment names is not ours to change, and not used.

import { Redis } from 'ioredis';
import { startServices } from '../test/support/services/start-services.ts';
import type { Stage } from './stage.ts';

export type BullSubject = {
  /** Works off so many jobs, from the first one in to the last one out. */
  run(count: number, patienceMs: number): Promise<void>;
};

export async function openBull(
  stage: Stage,
  { databaseUrl, upstreamPort }: { readonly databaseUrl: string; readonly upstreamPort: number },
): Promise<BullSubject> {
  const { REDIS_URL: _, ...env } = process.env;
  const log = (line: string) => stage.progress(line);
  const services = await startServices({ env, log, wanted: ['redis'], signal: stage.signal });
  stage.onClose(() => services.close());
  const redis = services.redisUrl;
  await writeEverything(redis);
  const [worker, ends] = [
    stage.startProgram('programs/bullmq-pipeline.ts'),
    stage.startProgram('programs/bullmq-pipeline.ts'),
  ];
  await worker.ask('work', { redis, database: databaseUrl, upstreamPort });
  return {
    async run(count, patienceMs) {
      const order = { redis, count };
      await Promise.all([
        ends.ask('fill', order, patienceMs),
        ends.ask('drain', order, patienceMs),
      ]);
    },
  };
}

async function writeEverything(url: string): Promise<void> {
  const client = new Redis(url);
  try {
    await client.config('SET', 'appendonly', 'yes');
    await client.config('SET', 'appendfsync', 'always');
  } finally {
    client.disconnect();
  }
}
