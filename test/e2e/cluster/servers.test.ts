// Three gateways in their own processes on one Redis and PostgreSQL: each sees all of them, their limits and their modes;
// a dead or frozen one is suspected; an id belongs to one process.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, beforeEach, suite, test } from 'node:test';
import { Redis } from 'ioredis';
import { administer, ask, errorOf } from '../../support/gateway/call-rig.ts';
import {
  capacityAt,
  healthOf,
  type Operated,
  serverAt,
  untilStatus,
} from '../../support/gateway/cluster-status.ts';
import {
  finishSpillway,
  runSpillway,
  type SpillwayProcess,
} from '../../support/gateway/spillway-process.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { raiseLimits } from '../../support/gateway/test-gateway.ts';
import { rowsOf, valueAt } from '../../support/response-fields.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const services = servicesFromEnv(process.env);
const IDS = ['alpha', 'beta', 'gamma'] as const;
/** Three missed beats of two seconds, and a slow machine. */
const SUSPECTED_WITHIN_MS = 15_000;

suite('three gateways in one registry', () => {
  let cluster: TestCluster;
  let folder: string;
  let redis: Redis;
  const servers = new Map<string, Operated & { process: SpillwayProcess }>();

  async function start(id: string): Promise<void> {
    const { process, url } = await cluster.start(['gateway'], {
      SERVER_ID: id,
      SERVER_PRIORITY: id === 'gamma' ? '10' : '100',
    });
    servers.set(id, { process, url, adminKey: cluster.adminKey });
  }

  function at(id: string): Operated & { process: SpillwayProcess } {
    const server = servers.get(id);
    assert.ok(server);
    return server;
  }

  before(async () => {
    folder = makeTempFolder();
    redis = new Redis(services.redisUrl);
    cluster = await openTestCluster(services, folder, { ANTHROPIC_RATE_LIMIT: '1000000' });
    for (const id of IDS) await start(id);
    await raiseLimits(at('alpha').url, cluster.adminKey);
  });
  beforeEach(() => {
    cluster.simulator.resetScenario();
    cluster.simulator.clearLog();
  });
  after(async () => {
    await cluster.close();
    redis.disconnect();
    rmSync(folder, { recursive: true, force: true });
  });

  test('every server lists all of them with their own facts, and the rate limiter counts the same servers', async () => {
    for (const id of IDS) {
      // A server joins without a URL and announces it when it listens.
      const { servers: listed } = await untilStatus(
        at(id),
        ({ servers: all }) => all.filter(({ url }) => url !== undefined).length === 3,
        10_000,
      );
      assert.deepEqual(
        listed.map((server) => [server.id, server.url, server.health, server.priority]),
        IDS.map((each) => [each, at(each).url, 'healthy', each === 'gamma' ? 10 : 100]),
      );
      for (const server of listed) {
        assert.deepEqual([server.isGateway, server.isSuspected], [true, false]);
        assert.ok(server.capabilities.providers.includes('anthropic'));
      }
    }
    assert.equal(await redis.zcard(`${cluster.env['REDIS_KEY_PREFIX']}ratelimit:servers`), 3);
  });

  test('a limit that one server meets is in the opinion of all, in the capacity and in the recommendations', async () => {
    const region = cluster.env['SERVER_REGION'] ?? '';
    cluster.simulator.setScenario({ preset: 'usage-limit', resetInSeconds: 600 });
    const refused = await ask({ url: at('beta').url, apiKey: cluster.apiKey });
    assert.equal(errorOf(refused).code, 'AI_LIMIT_REACHED');
    const calls = cluster.simulator.log().length;
    const status = await untilStatus(
      at('alpha'),
      ({ servers: all }) =>
        all.every(({ opinion }) => opinion.entries.some((entry) => entry.region === region)),
      10_000,
    );
    assert.deepEqual(status.disagreements, []);
    assert.deepEqual(
      status.servers.map(({ health }) => health),
      ['degraded', 'degraded', 'degraded'],
    );
    assert.ok(
      status.recommendations.some(
        ({ action, subject }) => action === 'raise_tier' && subject === `anthropic/${region}`,
      ),
    );
    for (const id of IDS) {
      const capacity = await capacityAt(at(id));
      const here = capacity.find(({ provider }) => provider === 'anthropic');
      assert.deepEqual([here?.region, here?.limit.isActive], [region, true]);
      const health = await healthOf(at(id));
      assert.deepEqual(
        [health.status, health.aiUsageLimit.isActive, health.aiUsageLimit.provider],
        ['degraded', true, 'anthropic'],
      );
      assert.deepEqual(
        health.dependencies.map(({ name, status: state }) => [name, state]),
        [
          ['store', 'up'],
          ['redis', 'up'],
          ['broker', 'up'],
        ],
      );
    }
    await administer(at('gamma'), 'GET', '/cluster/scaling');
    assert.equal(cluster.simulator.log().length, calls, 'health made a call');
    const limits = await administer(at('gamma'), 'GET', '/admin/limits');
    assert.match(JSON.stringify(limits), new RegExp(`"region":"${region}"`));
    await administer(at('gamma'), 'DELETE', `/admin/limits/anthropic/${region}`);
    await untilStatus(
      at('alpha'),
      ({ servers: all }) => all.every(({ health }) => health === 'healthy'),
      10_000,
    );
  });

  test('maintenance, drain and resume at any server apply to any server', async () => {
    const at503 = async (id: string) => (await fetch(`${at(id).url}/health/ready`)).status;
    await administer(at('alpha'), 'POST', '/cluster/servers/beta/maintenance');
    await untilStatus(
      at('gamma'),
      ({ servers: all }) =>
        all.some(({ id, isMaintenanceMode }) => id === 'beta' && isMaintenanceMode),
      10_000,
    );
    assert.equal(await at503('beta'), 200);

    await administer(at('alpha'), 'POST', '/cluster/servers/beta/drain');
    await untilStatus(
      at('gamma'),
      ({ servers: all }) => all.some(({ id, isDraining }) => id === 'beta' && isDraining),
      10_000,
    );
    while ((await at503('beta')) !== 503);
    const drained = await ask({ url: at('beta').url, apiKey: cluster.apiKey });
    assert.equal(drained.headers.get('connection'), 'close');

    await administer(at('gamma'), 'POST', '/cluster/servers/beta/resume');
    while ((await at503('beta')) !== 200);
    assert.equal((await ask({ url: at('beta').url, apiKey: cluster.apiKey })).status, 200);
    const resumed = await untilStatus(
      at('alpha'),
      ({ servers: all }) =>
        all.every(({ isDraining, isMaintenanceMode }) => !isDraining && !isMaintenanceMode),
      10_000,
    );
    assert.equal(resumed.servers.length, 3);
    const unknown = await fetch(`${at('alpha').url}/cluster/servers/delta/drain`, {
      method: 'POST',
      headers: { authorization: `Bearer ${cluster.adminKey}` },
    });
    assert.equal(unknown.status, 404);
  });

  test('spillway servers lists, drains and resumes servers', async () => {
    const { hostname, port } = new URL(at('alpha').url);
    const run = (...args: string[]) =>
      finishSpillway(['servers', ...args], {
        ...cluster.env,
        SPILLWAY_DATA_DIR: `${folder}/cli`,
        HOST: hostname,
        PORT: port,
      });
    const stateOf = async (id: string) =>
      new RegExp(`^${id} .*?(healthy|degraded|maintenance|draining)`, 'm').exec(
        (await run('list')).output,
      )?.[1];
    assert.equal(await stateOf('gamma'), 'healthy');
    const drained = await run('drain', 'gamma');
    assert.deepEqual([drained.code, drained.output.trim()], [0, 'gamma is draining.']);
    await untilStatus(
      at('alpha'),
      ({ servers: all }) => all.some(({ id, isDraining }) => id === 'gamma' && isDraining),
      10_000,
    );
    assert.equal(await stateOf('gamma'), 'draining');
    assert.equal((await run('maintenance', 'gamma')).output.trim(), 'gamma is in maintenance.');
    assert.equal((await run('resume', 'gamma')).output.trim(), 'gamma is active.');
    const unknown = await run('drain', 'delta');
    assert.deepEqual(
      [unknown.code, unknown.errors.trim()],
      [1, 'There is no server delta in the cluster.'],
    );
    const listed: unknown = JSON.parse((await run('list', '--json')).output);
    assert.deepEqual(
      rowsOf(listed).map((server) => valueAt(server, 'id')),
      [...IDS],
    );
  });

  test('a frozen server is suspected and returns by itself', async () => {
    at('beta').process.kill('SIGSTOP');
    await untilStatus(
      at('alpha'),
      ({ servers: all }) => all.some(({ id, isSuspected }) => id === 'beta' && isSuspected),
      SUSPECTED_WITHIN_MS,
    );
    at('beta').process.kill('SIGCONT');
    await untilStatus(
      at('alpha'),
      ({ servers: all }) => all.every(({ isSuspected }) => !isSuspected),
      SUSPECTED_WITHIN_MS,
    );
  });

  test('a second process with the id of a running server refuses to start and says why', async () => {
    const second = runSpillway(['gateway'], {
      ...cluster.env,
      SERVER_ID: 'beta',
      SPILLWAY_DATA_DIR: `${folder}/second`,
    });
    const { code } = await second.ended();
    assert.equal(code, 1);
    assert.equal(
      second.errors().trim(),
      'The id beta belongs to another running server; give each server its own SERVER_ID.',
    );
    assert.equal((await serverAt(at('alpha'), 'beta'))?.isSuspected, false);
  });

  test('a killed server is suspected, and its successor takes over its id as a new incarnation', async () => {
    const before = await serverAt(at('alpha'), 'beta');
    assert.ok(before);
    at('beta').process.kill('SIGKILL');
    await start('beta');
    // The directory of a server is up to a second behind the registry.
    await untilStatus(
      at('alpha'),
      ({ servers: all }) =>
        all.some(({ id, incarnation }) => id === 'beta' && incarnation !== before.incarnation),
      10_000,
    );
    at('gamma').process.kill('SIGKILL');
    const { recommendations } = await untilStatus(
      at('alpha'),
      ({ servers: all }) => all.some(({ id, isSuspected }) => id === 'gamma' && isSuspected),
      SUSPECTED_WITHIN_MS,
    );
    assert.ok(
      recommendations.some(
        ({ action, subject }) => action === 'check_server' && subject === 'gamma',
      ),
    );
  });

  test('a server that stops is gone from the registry at once', async () => {
    at('beta').process.kill('SIGTERM');
    await at('beta').process.ended();
    await untilStatus(
      at('alpha'),
      ({ servers: all }) => all.every(({ id }) => id !== 'beta'),
      10_000,
    );
  });
});
