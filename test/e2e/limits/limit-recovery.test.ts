// After a limit one call goes first, whichever server it is made at, and the rest when it went well: gateways as
// processes of their own on one Redis. The simulator's log is the judge.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { sleep, systemClock } from '../../../src/kernel/clock.ts';
import { administer, ask, errorOf } from '../../support/gateway/call-rig.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { until } from '../../support/stores/redis-rig.ts';
import { rowsOf, valueAt } from '../../support/response-fields.ts';

const services = servicesFromEnv(process.env);
/** How long the probe takes: everybody who calls meanwhile must wait for it. */
const PROBE_MS = 1500;

suite('three gateways on one Redis and a provider whose limit is over soon', () => {
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
    // Not before the servers have ended: they close their journals in it.
    rmSync(folder, { recursive: true, force: true });
  });

  test('one call goes first when a limit is over, and the others wait for it', async () => {
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
      assert.ok(startedAt >= (probe?.startedAt ?? 0) + PROBE_MS, 'it went with the probe');
    assert.equal((await circuitAt(urls[0])).state, 'closed');
  });

  test('a limit that is taken away by hand holds nobody back, at no server', async () => {
    const { simulator } = cluster;
    simulator.setScenario({ preset: 'usage-limit', resetInSeconds: 600 });
    await limitAt(urls[1]);
    simulator.setScenario({ preset: 'healthy' });
    const region = cluster.env['SERVER_REGION'] ?? '';
    await administer(operator(urls[2]), 'DELETE', `/admin/limits/anthropic/${region}`);
    for (const url of urls) await until(async () => (await call(url)).status === 200);
  });

  test('an operator who sets a limit at one server sees it waited for at all', async () => {
    const region = cluster.env['SERVER_REGION'] ?? '';
    const resetAt = Date.now() + 600_000;
    await administer(operator(urls[0]), 'PUT', `/admin/limits/anthropic/${region}`, { resetAt });
    for (const url of urls) {
      await until(async () => (await circuitAt(url)).cause === 'limit');
      assert.equal(errorOf(await call(url)).code, 'AI_LIMIT_REACHED');
    }
  });

  /** Calls until the provider says that it is limited; resolves to when it will not be any more. */
  async function limitAt(url: string | undefined): Promise<number> {
    const answer = await call(url);
    assert.equal(errorOf(answer).code, 'AI_LIMIT_REACHED');
    return Number(answer.headers.get('x-rate-limit-reset'));
  }

  /** As a caller does who is told to come back. */
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
