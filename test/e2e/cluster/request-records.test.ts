// The record of a failed request is found at any gateway: of a request that another gateway served, of a job that a separate
// worker ran, and of a stream that was cut.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, beforeEach, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { administer, ask, errorOf } from '../../support/gateway/call-rig.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { raiseLimits } from '../../support/gateway/test-gateway.ts';
import { rowsOf, textAt, valueAt } from '../../support/response-fields.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const services = servicesFromEnv(process.env);
const WRITTEN_WITHIN_MS = 10_000;

suite('request records of a cluster', () => {
  let cluster: TestCluster;
  let folder: string;
  let first: string;
  let other: string;

  before(async () => {
    folder = makeTempFolder();
    cluster = await openTestCluster(services, folder, { ANTHROPIC_RATE_LIMIT: '1000000' });
    ({ url: first } = await cluster.start(['gateway']));
    ({ url: other } = await cluster.start(['gateway']));
    await cluster.start(['dispatcher']);
    await cluster.start(['worker', '--provider', 'anthropic']);
    await raiseLimits(first, cluster.adminKey);
  });
  beforeEach(() => cluster.simulator.resetScenario());
  after(async () => {
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Records are written after the answer. */
  async function recordAt(url: string, id: string, has: (record: unknown) => boolean) {
    for (const lateAt = Date.now() + WRITTEN_WITHIN_MS; ; await sleep(50)) {
      const response = await fetch(`${url}/admin/requests/${id}`, {
        headers: { authorization: `Bearer ${cluster.adminKey}` },
      });
      const record: unknown = await response.json();
      if (response.status === 200 && has(record)) return record;
      assert.ok(Date.now() < lateAt, JSON.stringify(record));
    }
  }

  const attemptsOf = (record: unknown): readonly unknown[] => {
    const attempts = valueAt(record, 'attempts');
    return Array.isArray(attempts) ? attempts : [];
  };

  test('a failed request is found at the other gateway, with the provider’s response', async () => {
    cluster.simulator.setScenario({ preset: 'invalid-request' });
    const answer = await ask({ url: first, apiKey: cluster.apiKey });
    const id = answer.headers.get('x-request-id') ?? '';
    const record = await recordAt(other, id, (found) => valueAt(found, 'error') !== undefined);
    assert.equal(valueAt(record, 'error', 'code'), errorOf(answer).code);
    const [attempt] = attemptsOf(record);
    assert.equal(valueAt(attempt, 'raw', 'status'), 400);
    assert.match(textAt(attempt, 'raw', 'body'), /invalid_request_error/);
  });

  test('a limit at one gateway leads to the raw text at the other', async () => {
    const region = cluster.env['SERVER_REGION'] ?? '';
    cluster.simulator.setScenario({ preset: 'usage-limit', resetInSeconds: 600 });
    assert.equal((await ask({ url: first, apiKey: cluster.apiKey })).status, 429);
    const operated = { url: other, adminKey: cluster.adminKey };
    let limit: unknown;
    while (limit === undefined)
      limit = rowsOf(await administer(operated, 'GET', '/admin/limits')).find(
        (each) => valueAt(each, 'region') === region,
      );
    const record = await recordAt(other, textAt(limit, 'requestId'), () => true);
    assert.equal(valueAt(attemptsOf(record)[0], 'code'), 'AI_LIMIT_REACHED');
    assert.match(textAt(attemptsOf(record)[0], 'raw', 'body'), /limit/);
    await administer(operated, 'DELETE', `/admin/limits/anthropic/${region}`);
  });

  test('the partial answer of a cut stream is found at the other gateway', async () => {
    cluster.simulator.setScenario({ preset: 'cut', afterChunks: 3, chunkDelayMs: 20 });
    const answer = await ask({ url: first, apiKey: cluster.apiKey }, { stream: true });
    const id = answer.headers.get('x-request-id') ?? '';
    const record = await recordAt(other, id, (found) => valueAt(found, 'partial') !== undefined);
    const partial = textAt(record, 'partial', 'text');
    assert.match(partial, /^event: message_start/);
    assert.ok(answer.text.startsWith(partial));
    assert.equal(valueAt(record, 'partial', 'bytes'), Buffer.byteLength(partial));
    assert.doesNotMatch(partial, /"type":"error"/);
  });

  test('a job that failed in a separate worker is found at both gateways', async () => {
    cluster.simulator.setScenario({ preset: 'invalid-request' });
    const receipt = await fetch(`${first}/v1/jobs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${cluster.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'Hello', model: 'claude-sonnet-5-5' }),
    });
    assert.equal(receipt.status, 202);
    const id = receipt.headers.get('x-request-id') ?? '';
    for (const url of [first, other]) {
      const record = await recordAt(url, id, (found) => attemptsOf(found).length > 0);
      assert.match(textAt(attemptsOf(record)[0], 'raw', 'body'), /invalid_request_error/);
    }
  });
});
