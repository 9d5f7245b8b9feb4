// Callbacks of a cluster: the worker that ends a job only announces them, and they stay on the store beside a broker.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { type CallbackHost, startCallbackHost } from '../../support/gateway/callback-host.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { textAt, valueAt } from '../../support/response-fields.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';

suite('gateway, dispatcher and worker on real engines', () => {
  let cluster: TestCluster;
  let folder: string;
  let host: CallbackHost;
  let url: string;
  let refusals = 1;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'spillway-test-'));
    host = await startCallbackHost(() => (refusals-- > 0 ? 503 : 204));
    const env = { EGRESS_ALLOW_HOSTS: '127.0.0.1' };
    cluster = await openTestCluster(servicesFromEnv(process.env), folder, env);
    ({ url } = await cluster.start(['gateway']));
    await cluster.start(['dispatcher']);
    await cluster.start(['worker', '--provider', 'openai']);
  });
  after(async () => {
    await cluster.close();
    await host.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('a callback that was not taken is made again, under the same id', async () => {
    const headers = {
      authorization: `Bearer ${cluster.apiKey}`,
      'content-type': 'application/json',
    };
    const body = JSON.stringify({
      model: 'gpt-5-mini',
      prompt: 'hi',
      callbackUrl: `${host.url}/done`,
    });
    const receipt = await fetch(`${url}/v1/jobs`, { method: 'POST', headers, body });
    const id = textAt(await receipt.json(), 'id');
    const first = await host.next();
    assert.equal(valueAt(JSON.parse(first.body), 'id'), id);
    assert.equal(valueAt(JSON.parse(first.body), 'status'), 'succeeded');
    const second = await host.next();
    assert.equal(second.headers['webhook-id'], first.headers['webhook-id']);
    assert.equal(second.body, first.body);
    const view = await fetch(`${url}/v1/builds/${id}/events`, { headers });
    assert.match(await view.text(), /"type":"job\.succeeded"/);
  });
});
