// Three gateway processes on one Redis stop calling a failing provider. The simulator's log is the evidence.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { rowsOf, valueAt } from '../../support/response-fields.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { until } from '../../support/stores/redis-rig.ts';

const services = servicesFromEnv(process.env);
const OPEN_MS = 2000;
const SETTINGS = `
retry: { errorRetries: 0 }
breaker: { openMs: ${OPEN_MS} }
`;

suite('three gateways on one Redis and a failing provider', () => {
  let cluster: TestCluster;
  let urls: readonly string[];
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'spillway-test-'));
    const file = join(folder, 'spillway.yaml');
    writeFileSync(file, SETTINGS);
    cluster = await openTestCluster(services, folder);
    const gateways = [];
    for (let count = 0; count < 3; count += 1)
      gateways.push(await cluster.start(['gateway', '--config', file]));
    urls = gateways.map(({ url }) => url);
  });
  after(async () => {
    await cluster.close();
    // After the servers have ended: their journals are in this folder.
    rmSync(folder, { recursive: true, force: true });
  });

  test('failures spread over all gateways open the circuit on all of them', async () => {
    const { simulator } = cluster;
    simulator.setScenario({ preset: 'server-error' });
    for (let made = 0; made < 5; made += 1)
      assert.equal(await codeOf(call(urls[made % 3])), 'PROVIDER_UNAVAILABLE');
    for (const url of urls) await until(async () => (await stateAt(url)) !== 'closed');
    const asked = simulator.log().length;
    assert.equal(asked, 5);
    const answers = await Promise.all(urls.map((url) => call(url)));
    for (const { status, headers } of answers) {
      assert.equal(status, 503);
      assert.ok(Number(headers.get('retry-after')) >= 1);
    }
  });

  test('all gateways call a recovered provider again', async () => {
    const { simulator } = cluster;
    simulator.setScenario({ preset: 'healthy' });
    const before = simulator.log().length;
    for (const url of urls) await until(async () => (await call(url)).status === 200);
    await until(async () => (await stateAt(urls[0])) === 'closed');
    assert.ok(simulator.log().length > before);
    const answers = await Promise.all(urls.map((url) => call(url)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
  });

  test('a reset on one gateway closes the circuit on all', async () => {
    cluster.simulator.setScenario({ preset: 'server-error' });
    for (let made = 0; made < 5; made += 1) await call(urls[0]);
    cluster.simulator.setScenario({ preset: 'healthy' });
    const region = cluster.env['SERVER_REGION'] ?? '';
    const path = `/admin/breakers/anthropic/${region}/reset`;
    assert.equal((await admin(urls[2], path, 'POST')).status, 204);
    for (const url of urls) await until(async () => (await call(url)).status === 200);
  });

  async function codeOf(answer: Promise<Response>): Promise<unknown> {
    return valueAt(await (await answer).json(), 'error', 'code');
  }

  async function stateAt(url: string | undefined): Promise<unknown> {
    const answer: unknown = await (await admin(url, '/admin/breakers', 'GET')).json();
    const circuit = rowsOf(answer).find((row) => valueAt(row, 'provider') === 'anthropic');
    return valueAt(circuit, 'state');
  }

  function admin(url: string | undefined, path: string, method: string): Promise<Response> {
    return fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${cluster.adminKey}` },
    });
  }

  function call(url: string | undefined): Promise<Response> {
    return fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': cluster.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'claude-sonnet-5-5',
        max_tokens: 20,
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    });
  }
});
