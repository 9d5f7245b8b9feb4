// Three gateways are restarted one after the other under load, as a deployment does. Callers go through a load balancer's
// rules: a server whose /health is not 200 gets no new connection, and a refused connection goes to the next server. No
// unary request fails.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { administer, messageBody } from '../../support/gateway/call-rig.ts';
import { untilStatus } from '../../support/gateway/cluster-status.ts';
import type { SpillwayProcess } from '../../support/gateway/spillway-process.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { raiseLimits } from '../../support/gateway/test-gateway.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const services = servicesFromEnv(process.env);
const IDS = ['one', 'two', 'three'];
const CALLERS = 12;
const HEALTH_CHECK_MS = 100;

type Server = { url: string; process: SpillwayProcess; isHealthy: boolean };

suite('a rolling restart of three gateways under load', () => {
  let cluster: TestCluster;
  let folder: string;
  const servers = new Map<string, Server>();

  before(async () => {
    folder = makeTempFolder();
    cluster = await openTestCluster(services, folder, { ANTHROPIC_RATE_LIMIT: '1000000' });
    for (const id of IDS) await start(id);
    // At each server: the others would learn of it within five seconds only.
    for (const { url } of servers.values()) await raiseLimits(url, cluster.adminKey);
    cluster.simulator.setScenario({ latencyMs: 50 });
  });
  after(async () => {
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(id: string): Promise<void> {
    const { process, url } = await cluster.start(['gateway'], { SERVER_ID: id });
    servers.set(id, { process, url, isHealthy: true });
  }

  test('no unary request fails, by SIGTERM or after a drain', async (context) => {
    const ending = new AbortController();
    const outcomes: string[] = [];
    const checking = checkHealth(ending.signal);
    const load = Promise.all(
      Array.from({ length: CALLERS }, () => callOn(ending.signal, outcomes)),
    );
    for (const id of IDS) await restart(id, false);
    await restart('one', true);
    ending.abort();
    await load;
    await checking;
    const failed = outcomes.filter((outcome) => outcome !== '200');
    context.diagnostic(`${outcomes.length} requests during four restarts, ${failed.length} failed`);
    assert.deepEqual(failed, []);
    assert.ok(outcomes.length > 100, String(outcomes.length));
  });

  async function restart(id: string, isDrainedFirst: boolean): Promise<void> {
    const server = servers.get(id);
    const other = servers.get(IDS[(IDS.indexOf(id) + 1) % IDS.length] ?? '');
    assert.ok(server && other);
    const operated = { url: other.url, adminKey: cluster.adminKey };
    if (isDrainedFirst) {
      await administer(operated, 'POST', `/cluster/servers/${id}/drain`);
      await untilStatus(
        operated,
        ({ servers: all }) =>
          all.some((each) => each.id === id && each.isDraining && each.currentLoad === 0),
        20_000,
      );
    }
    server.process.kill('SIGTERM');
    assert.equal((await server.process.ended()).code, 0);
    await start(id);
    await untilStatus(
      operated,
      ({ servers: all }) => all.filter(({ isDraining, url }) => !isDraining && url).length === 3,
      20_000,
    );
  }

  async function checkHealth(ending: AbortSignal): Promise<void> {
    while (!ending.aborted) {
      for (const server of servers.values())
        server.isHealthy = await fetch(`${server.url}/health`).then(
          ({ status }) => status === 200,
          () => false,
        );
      await sleep(HEALTH_CHECK_MS);
    }
  }

  async function callOn(ending: AbortSignal, outcomes: string[]): Promise<void> {
    for (let turn = 0; !ending.aborted; turn += 1) outcomes.push(await call(turn));
  }

  /** Each call has its own connection: a kept-alive one may be closed while its next request is in transit. */
  async function call(turn: number): Promise<string> {
    for (let next = turn; ; next += 1) {
      const healthy = [...servers.values()].filter(({ isHealthy }) => isHealthy);
      const server = healthy[next % healthy.length];
      if (!server) {
        await sleep(HEALTH_CHECK_MS);
        continue;
      }
      try {
        const { statusCode, body } = await request(`${server.url}/v1/messages`, {
          method: 'POST',
          headers: { 'x-api-key': cluster.apiKey, 'content-type': 'application/json' },
          body: JSON.stringify(messageBody()),
          reset: true,
        });
        const text = await body.text();
        return statusCode === 200 ? '200' : `${statusCode} ${text}`;
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : error;
        if (code !== 'ECONNREFUSED') return String(error);
        server.isHealthy = false;
      }
    }
  }
});
