// The status endpoints of one server with a Redis: a reading is taken at most once a second, with a fixed number of commands,
// and an outage of Redis is shown.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { createRedisServerRegistry } from '../../../src/adapters/redis/registry/server-registry.ts';
import { createGateway, type Gateway } from '../../../src/app/create-gateway.ts';
import { RECORD_LIFETIME_MS, type ServerRegistry } from '../../../src/cluster/server-registry.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { withSimulator } from '../../../src/config/providers/simulator-stand-in.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { recordOf } from '../../contract/server-registry.ts';
import { administer } from '../../support/gateway/call-rig.ts';
import { healthOf, statusOf, untilStatus } from '../../support/gateway/cluster-status.ts';
import { TEST_ADMIN_KEY } from '../../support/gateway/test-gateway.ts';
import { openRedisRig, type RedisRig } from '../../support/stores/redis-rig.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const REQUESTS = 100;
/** Several readings are taken meanwhile. */
const MIN_MEASURED_MS = 2500;
const PATHS = ['/health/cluster', '/cluster/status', '/cluster/scaling', '/health/capacity'];

suite('the status of a server with a Redis', () => {
  let rig: RedisRig;
  let gateway: Gateway;
  let simulator: Simulator;
  let folder: string;
  let registry: ServerRegistry;
  let server: { url: string; adminKey: string };

  before(async () => {
    rig = await openRedisRig();
    folder = makeTempFolder();
    simulator = await startSimulator({ clock: systemClock });
    const env = {
      PORT: '0',
      LOG_LEVEL: 'critical',
      SPILLWAY_DATA_DIR: folder,
      SPILLWAY_ADMIN_KEY: TEST_ADMIN_KEY,
      REDIS_URL: rig.url,
      REDIS_KEY_PREFIX: 'cost:',
    };
    gateway = await createGateway(withSimulator(loadConfig({ env, cwd: folder }), simulator.url));
    server = { url: (await gateway.listen()) ?? '', adminKey: TEST_ADMIN_KEY };
    const link = rig.open();
    await link.ready(5000);
    registry = createRedisServerRegistry({
      link,
      keyPrefix: 'cost:',
      lifetimeMs: RECORD_LIFETIME_MS,
    });
  });
  after(async () => {
    await gateway.close();
    await simulator.close();
    await rig.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function register(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) await registry.announce(recordOf(`s${index}`));
    await untilStatus(server, ({ servers }) => servers.length === count + 1, 20_000);
  }

  /** The Redis commands of the registry's readings, and the milliseconds, of many requests. */
  async function measure(): Promise<{ readings: number; requests: number; msPerRequest: number }> {
    await rig.outsider.config('RESETSTAT');
    const startedAt = performance.now();
    let requests = 0;
    let elapsedMs = 0;
    for (; requests < REQUESTS || elapsedMs < MIN_MEASURED_MS; requests += 1) {
      await administer(server, 'GET', PATHS[requests % PATHS.length] ?? '');
      elapsedMs = performance.now() - startedAt;
    }
    const [, readings = '0'] =
      /cmdstat_mget:calls=(\d+)/.exec(await rig.outsider.info('commandstats')) ?? [];
    // Redis counts until it answers, which is later than the last request.
    const most = Math.ceil((performance.now() - startedAt) / 1000) + 1;
    assert.ok(Number(readings) > 0 && Number(readings) <= most, `${readings} readings`);
    return { readings: Number(readings), requests, msPerRequest: elapsedMs / requests };
  }

  test('a status request costs the same with 2 and with 200 registered servers, and calls no provider', async (context) => {
    await register(1);
    const few = await measure();
    await register(199);
    const many = await measure();
    context.diagnostic(`2 servers: ${JSON.stringify(few)}, 200 servers: ${JSON.stringify(many)}`);
    const { servers } = await statusOf(server);
    assert.equal(servers.length, 200);
    assert.deepEqual(simulator.log(), []);
  });

  test('a server without its Redis says that it is degraded and returns by itself', async () => {
    await rig.service.kill('SIGKILL');
    const lost = await untilStatus(server, ({ isStale }) => isStale, 20_000);
    assert.ok(lost.recommendations.some(({ action }) => action === 'check_redis'));
    assert.ok(lost.servers.some(({ id }) => id === lost.serverId));
    const health = await healthOf(server);
    assert.equal(health.status, 'degraded');
    assert.deepEqual(
      health.dependencies.map(({ name, status }) => [name, status]),
      [
        ['store', 'up'],
        ['redis', 'down'],
      ],
    );
    await rig.service.restart();
    const found = await untilStatus(
      server,
      ({ isStale, servers, serverId }) => !isStale && servers.some(({ id }) => id === serverId),
      20_000,
    );
    assert.deepEqual(found.recommendations, []);
    assert.equal(found.servers.length, 1);
  });
});
