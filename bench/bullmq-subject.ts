// BullMQ as a subject: a private Redis that fsyncs every write, one worker process, and one process that fills and
// drains the queue. A Redis named in the environment is not used, because its configuration must not change.

import { Redis } from 'ioredis';
import { startEngines } from './processes/start-engines.ts';
import type { Stage } from './stage.ts';

export type BullSubject = {
  /** Processes `count` jobs; measured from the first submission to the last result. */
  run(count: number, patienceMs: number): Promise<void>;
};

export async function openBull(
  stage: Stage,
  { databaseUrl, upstreamPort }: { readonly databaseUrl: string; readonly upstreamPort: number },
): Promise<BullSubject> {
  const { REDIS_URL: _, ...env } = process.env;
  const { redisUrl: redis } = await startEngines(stage, ['redis'], env);
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
