// Gateway, dispatcher and worker as separate processes on real engines, with the simulator as provider. Every
// shared name is unique, so that clusters of concurrent tests stay isolated.

import { join } from 'node:path';
import pg from 'pg';
import { systemClock } from '../../../src/kernel/clock.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import {
  isolatedDatabase,
  type ServiceAddresses,
  uniqueName,
} from '../services/services-from-env.ts';
import { runSpillway, type SpillwayProcess } from './spillway-process.ts';

export type TestCluster = {
  readonly simulator: Simulator;
  readonly env: Readonly<Record<string, string>>;
  readonly apiKey: string;
  readonly adminKey: string;
  /** Starts a role and resolves with its URL when it is ready. */
  start(
    role: readonly string[],
    env?: Record<string, string>,
  ): Promise<{ process: SpillwayProcess; url: string }>;
  close(): Promise<void>;
};

export async function openTestCluster(
  services: Pick<ServiceAddresses, 'databaseUrl' | 'redisUrl' | 'rabbitmqUrl'>,
  folder: string,
  extra: Record<string, string> = {},
): Promise<TestCluster> {
  const simulator = await startSimulator({ clock: systemClock });
  const database = isolatedDatabase(services.databaseUrl, 'cluster');
  await runSql(services.databaseUrl, database.createSql);
  const name = uniqueName('cluster');
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: services.redisUrl,
    RABBITMQ_URL: services.rabbitmqUrl,
    REDIS_KEY_PREFIX: `${name}:`,
    // Provider limits have no key prefix; a unique region isolates them.
    SERVER_REGION: name,
    RAW_ANALYSIS_QUEUE: `${name}-raw`,
    RESULTS_QUEUE: `${name}-results`,
    DLQ_QUEUE: `${name}-dlq`,
    ANTHROPIC_QUEUE: `${name}-anthropic`,
    OPENAI_QUEUE: `${name}-openai`,
    GEMINI_QUEUE: `${name}-gemini`,
    MIGRATE_ON_START: 'true',
    SPILLWAY_ADMIN_KEY: 'an-admin-key-for-the-cluster-0123456789',
    SPILLWAY_API_KEY: 'a-key-for-the-cluster-0123456789',
    ANTHROPIC_API_KEY: 'provider-key',
    OPENAI_API_KEY: 'provider-key',
    GEMINI_API_KEY: 'provider-key',
    ANTHROPIC_BASE_URL: simulator.url,
    OPENAI_BASE_URL: `${simulator.url}/v1`,
    GEMINI_BASE_URL: simulator.url,
    ...extra,
  };
  const processes: SpillwayProcess[] = [];

  return {
    simulator,
    env,
    apiKey: env.SPILLWAY_API_KEY,
    adminKey: env.SPILLWAY_ADMIN_KEY,
    async start(role, own = {}) {
      const dataDir = join(folder, `data-${processes.length}`);
      const process = runSpillway(role, { ...env, SPILLWAY_DATA_DIR: dataDir, ...own });
      processes.push(process);
      return { process, url: await process.ready() };
    },
    async close() {
      for (const process of processes) process.kill('SIGTERM');
      await Promise.all(processes.map((process) => process.ended()));
      await simulator.close();
      await runSql(services.databaseUrl, database.dropSql);
    },
  };
}

async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}
