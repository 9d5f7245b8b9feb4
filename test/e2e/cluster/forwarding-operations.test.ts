// Forwarding while a cluster is operated: the secret is rotated server by server, a limit ends, a server has the feature
// turned off. Requests to the limited region are served by the other one throughout.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { systemClock } from '../../../src/kernel/clock.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { untilStatus } from '../../support/gateway/cluster-status.ts';
import type { SpillwayProcess } from '../../support/gateway/spillway-process.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { raiseLimits } from '../../support/gateway/test-gateway.ts';
import { servicesFromEnv, uniqueName } from '../../support/services/services-from-env.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const services = servicesFromEnv(process.env);
const OLD = 'the-old-secret-between-the-servers-0';
const NEW = 'the-new-secret-between-the-servers-1';
const LIMITED = { preset: 'usage-limit', resetInSeconds: 600 };

suite('forwarding while the cluster is operated', () => {
  let cluster: TestCluster;
  let folder: string;
  let europe: Simulator;
  const region = uniqueName('us-east');
  const europeRegion = uniqueName('eu-west');
  const servers = new Map<string, { readonly url: string; readonly process: SpillwayProcess }>();

  before(async () => {
    folder = makeTempFolder();
    europe = await startSimulator({ clock: systemClock });
    cluster = await openTestCluster(services, folder, {
      ENABLE_MULTI_SERVER_ROUTING: 'true',
      SERVER_REGION: region,
      ANTHROPIC_RATE_LIMIT: '1000000',
    });
    await start('us-1', { INTER_SERVER_SECRET: OLD });
    await startEurope(OLD);
  });
  after(async () => {
    await cluster.close();
    await europe.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(id: string, env: Record<string, string>): Promise<void> {
    const server = await cluster.start(['gateway'], { SERVER_ID: id, ...env });
    servers.set(id, server);
    await raiseLimits(server.url, cluster.adminKey);
    await untilListed([...servers.keys()]);
  }

  /** Its first call opens its connections to the stores, which may take a second on a busy machine. */
  async function startEurope(secret: string): Promise<void> {
    const env = { SERVER_REGION: europeRegion, ANTHROPIC_BASE_URL: europe.url };
    await start('eu-1', { INTER_SERVER_SECRET: secret, ...env });
    while ((await ask('eu-1')).status !== 200);
  }

  async function stop(id: string): Promise<void> {
    const server = servers.get(id);
    server?.process.kill('SIGTERM');
    await server?.process.ended();
    servers.delete(id);
  }

  async function untilListed(ids: readonly string[]): Promise<void> {
    const [first] = servers.values();
    assert.ok(first);
    await untilStatus(
      { url: first.url, adminKey: cluster.adminKey },
      ({ servers: all }) =>
        ids.every((id) =>
          // A successor has the id of its predecessor and another URL.
          all.some((each) => each.id === id && each.url === servers.get(id)?.url),
        ),
      20_000,
    );
  }

  async function ask(id: string): Promise<{ status: number; servedBy: string | null }> {
    const response = await fetch(`${servers.get(id)?.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': cluster.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'claude-sonnet-5-5',
        max_tokens: 20,
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    });
    await response.text();
    return { status: response.status, servedBy: response.headers.get('x-spillway-served-by') };
  }

  test('a secret is rotated in three steps without a failed request', async () => {
    const SERVED = { status: 200, servedBy: 'eu-1' };
    cluster.simulator.setScenario(LIMITED);
    assert.deepEqual(await ask('us-1'), SERVED);
    // The receiver knows both secrets first, then the sender signs with the new one, then the old one is dropped.
    await stop('eu-1');
    await startEurope(`${OLD},${NEW}`);
    assert.deepEqual(await ask('us-1'), SERVED);
    await stop('us-1');
    await start('us-1', { INTER_SERVER_SECRET: `${NEW},${OLD}` });
    assert.deepEqual(await ask('us-1'), SERVED);
    await stop('eu-1');
    await startEurope(NEW);
    assert.deepEqual(await ask('us-1'), SERVED);
  });

  test('a server with another secret is refused, and its callers get the honest answer', async () => {
    cluster.simulator.setScenario(LIMITED);
    await start('us-2', { INTER_SERVER_SECRET: OLD });
    assert.equal((await ask('us-2')).status, 429);
    await stop('us-2');
  });

  test('a server with routing turned off answers the limit itself', async () => {
    cluster.simulator.setScenario(LIMITED);
    const off = { INTER_SERVER_SECRET: NEW, ENABLE_MULTI_SERVER_ROUTING: 'false' };
    await start('us-3', off);
    assert.deepEqual(await ask('us-3'), { status: 429, servedBy: 'us-3' });
    await stop('us-3');
  });

  test('when the limit ends every server serves by itself again, after one probe', async () => {
    await start('us-4', { INTER_SERVER_SECRET: NEW });
    await fetch(`${servers.get('us-1')?.url}/admin/limits/anthropic/${region}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${cluster.adminKey}` },
    });
    cluster.simulator.clearLog();
    cluster.simulator.setScenario({ preset: 'usage-limit', resetInSeconds: 3 });
    while ((await ask('us-1')).servedBy !== 'eu-1');
    cluster.simulator.setScenario({ preset: 'healthy', latencyMs: 200 });
    const both = new Set<string>();
    while (both.size < 2) {
      const answers = await Promise.all(['us-1', 'us-4', 'us-1', 'us-4'].map(ask));
      for (const { status, servedBy } of answers) {
        assert.equal(status, 200);
        if (servedBy?.startsWith('us-')) both.add(servedBy);
      }
    }
    const [probe, ...others] = cluster.simulator.log().filter(({ outcome }) => outcome === 'ok');
    assert.ok(probe?.finishedAt && others.length > 0);
    for (const { startedAt } of others) assert.ok(startedAt >= probe.finishedAt, 'one probe first');
  });
});
