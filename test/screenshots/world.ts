// A Spillway to take pictures of: a gateway with the simulator in this process, with a past of some days and an hour, under
// load; or a fresh one without any past; or three servers on Redis, PostgreSQL and RabbitMQ.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGateway } from '../../src/app/create-gateway.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { withSimulator } from '../../src/config/providers/simulator-stand-in.ts';
import { type Clock, systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { openTestCluster, type TestCluster } from '../support/gateway/test-cluster.ts';
import { servicesFromEnv } from '../support/services/services-from-env.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

export type World = {
  readonly url: string;
  readonly adminKey: string;
  readonly simulator: Simulator;
  close(): Promise<void>;
};

const ADMIN_KEY = 'an-admin-key-for-screenshots-0123456789';

/** `log.ring` entries, alerts and dead letters come within seconds instead of minutes. */
const FILE = `
log: { level: info }
alerts: { intervalMs: 2s, minFiringMs: 10s }
`;

export async function openEmbedded(clock: Clock = systemClock): Promise<World> {
  const dataDir = makeTempFolder();
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, 'spillway.yaml'), FILE);
  const simulator = await startSimulator({ clock: systemClock });
  const config = loadConfig({
    env: {
      PORT: '0',
      SPILLWAY_DATA_DIR: dataDir,
      SPILLWAY_ADMIN_KEY: ADMIN_KEY,
      SERVER_REGION: 'us-east',
      MAX_RETRY_ATTEMPTS: '2',
    },
    cwd: dataDir,
  });
  const gateway = await createGateway(
    withSimulator(config, simulator.url),
    undefined,
    clock,
    simulator.control,
    silentLog,
  );
  const url = (await gateway.listen()) ?? '';
  return {
    url,
    adminKey: ADMIN_KEY,
    simulator,
    async close() {
      await gateway.close();
      await simulator.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export type ClusterWorld = World & {
  readonly apiKey: string;
  readonly urls: readonly string[];
  /** Kills one server with SIGKILL. */
  killOne(): Promise<void>;
};

const SERVERS = [
  ['gateway-use-1', 'us-east'],
  ['gateway-use-2', 'us-east'],
  ['gateway-euw-1', 'eu-west'],
] as const;

export async function openCluster(): Promise<ClusterWorld> {
  const folder = makeTempFolder();
  const cluster: TestCluster = await openTestCluster(servicesFromEnv(process.env), folder, {
    ENABLE_MULTI_SERVER_ROUTING: 'true',
    INTER_SERVER_SECRET: 'the-secret-between-the-servers-000',
    ENABLE_REDIS_LOGGING: 'true',
  });
  const started = await Promise.all(
    SERVERS.map(([id, region]) =>
      cluster.start(['serve'], { SERVER_ID: id, SERVER_REGION: region }),
    ),
  );
  const [first] = started;
  const last = started.at(-1);
  return {
    url: first?.url ?? '',
    urls: started.map(({ url }) => url),
    adminKey: cluster.adminKey,
    apiKey: cluster.apiKey,
    simulator: cluster.simulator,
    async killOne() {
      last?.process.kill('SIGKILL');
      await last?.process.ended();
    },
    async close() {
      await cluster.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
