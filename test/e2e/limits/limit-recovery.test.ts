// Three gateway processes on one Redis make one probe after a limit, and all other calls after its success. The simulator's
// log is the evidence.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { sleep, systemClock } from '../../../src/kernel/clock.ts';
import { administer, ask, errorOf } from '../../support/gateway/call-rig.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { rowsOf, valueAt } from '../../support/response-fields.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { until } from '../../support/stores/redis-rig.ts';

const services = servicesFromEnv(process.env);
/** The duration of the probe, during which all other calls wait. */
const PROBE_MS = 1500;

suite('three gateways on one Redis and a provider with a short limit', () => {
  let cluster: TestCluster;
  let urls: readonly string[];
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'spillway-test-'));
    cluster = await openTestCluster(services, folder);
    const gateways = [];
    for (let count = 0; count < 3; count += 1) gateways.push(await cluster.start(['gateway']));
    urls = gateways.map(({ url }) => url);
  });
  after(async () => {
    await cluster.close();
    // After the servers have ended: their journals are in this folder.
    rmSync(folder, { recursive: true, force: true });
  });

  test('one call goes first after a limit, and the others wait for it', async () => {
    const { simulator } = cluster;
    simulator.setScenario({ preset: 'usage-limit', resetInSeconds: 2 });
    const resetAt = await limitAt(urls[0]);
    for (const url of urls) await until(async () => (await circuitAt(url)).cause === 'limit');
    simulator.setScenario({ preset: 'healthy', latencyMs: PROBE_MS });
    const before = simulator.log().length;
    await sleep(systemClock, resetAt - Date.now());
    const answers = await Promise.all(urls.flatMap((url) => [1, 2, 3, 4].map(() => served(url))));
    assert.ok(answers.every((status) => status === 200));
    const [probe, ...others] = simulator.log().slice(before);
    assert.equal(others.length, answers.length - 1);
    for (const { startedAt } of others)
      assert.ok(
        startedAt >= (probe?.startedAt ?? 0) + PROBE_MS,
        'the call started during the probe',
      );
    assert.equal((await circuitAt(urls[0])).state, 'closed');
  });

  test('clearing a limit on one gateway lets all gateways call', async () => {
    const { simulator } = cluster;
    simulator.setScenario({ preset: 'usage-limit', resetInSeconds: 600 });
    await limitAt(urls[1]);
    for (const url of urls) await until(async () => (await circuitAt(url)).cause === 'limit');
    simulator.setScenario({ preset: 'healthy' });
    const region = cluster.env['SERVER_REGION'] ?? '';
    await administer(operator(urls[2]), 'DELETE', `/admin/limits/anthropic/${region}`);
    for (const url of urls) await until(async () => (await call(url)).status === 200);
  });

  test('a limit that an operator sets on one gateway opens the circuit on all', async () => {
    const region = cluster.env['SERVER_REGION'] ?? '';
    const resetAt = Date.now() + 600_000;
    await administer(operator(urls[0]), 'PUT', `/admin/limits/anthropic/${region}`, { resetAt });
    for (const url of urls) {
      await until(async () => (await circuitAt(url)).cause === 'limit');
      assert.equal(errorOf(await call(url)).code, 'AI_LIMIT_REACHED');
    }
  });

  /** Makes the call that meets the limit; resolves to its reset time. */
  async function limitAt(url: string | undefined): Promise<number> {
    const answer = await call(url);
    assert.equal(errorOf(answer).code, 'AI_LIMIT_REACHED');
    return Number(answer.headers.get('x-rate-limit-reset'));
  }

  /** Retries as a caller does, after the stated delay. */
  async function served(url: string | undefined): Promise<number> {
    for (;;) {
      const answer = await call(url);
      if (answer.status !== 429) return answer.status;
      await sleep(systemClock, Number(answer.headers.get('retry-after-ms')));
    }
  }

  async function circuitAt(url: string | undefined): Promise<{ state: unknown; cause: unknown }> {
    const rows = rowsOf(await administer(operator(url), 'GET', '/admin/breakers'));
    const circuit = rows.find((row) => valueAt(row, 'provider') === 'anthropic');
    return { state: valueAt(circuit, 'state'), cause: valueAt(circuit, 'cause') };
  }

  function operator(url = '') {
    return { url, adminKey: cluster.adminKey };
  }

  function call(url = '') {
    return ask({ url, apiKey: cluster.apiKey });
  }
});
