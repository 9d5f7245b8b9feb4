// Callbacks end to end: an ended job calls its owner back, signed, and never at an internal address.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { type CallbackHost, startCallbackHost } from '../../support/gateway/callback-host.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';
import { textAt, valueAt } from '../../support/response-fields.ts';

async function call(gateway: TestGateway, path: string, body?: object, key = gateway.apiKey) {
  const response = await fetch(gateway.url + path, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  return { status: response.status, body: answer };
}

suite('callbacks to a host that an operator allows', () => {
  let host: CallbackHost;
  let gateway: TestGateway;
  before(async () => {
    host = await startCallbackHost();
    gateway = await startTestGateway({ EGRESS_ALLOW_HOSTS: '127.0.0.1' });
  });
  after(async () => {
    await gateway.close();
    await host.close();
  });

  test("the callback is signed with the organisation's secret", async () => {
    const path = '/admin/orgs/default/webhook-secret';
    const made = await call(gateway, path, {}, gateway.adminKey);
    const secret = textAt(made.body, 'secret');
    const job = { model: 'gpt-5-mini', prompt: 'hi', callbackUrl: `${host.url}/done?x=1` };
    const receipt = await call(gateway, '/v1/jobs', job);
    assert.equal(receipt.status, 202);
    const { path: called, headers, body } = await host.next();
    assert.equal(called, '/done?x=1');
    const callback: unknown = JSON.parse(body);
    assert.equal(valueAt(callback, 'id'), valueAt(receipt.body, 'id'));
    assert.equal(valueAt(callback, 'status'), 'succeeded');
    assert.ok(textAt(callback, 'output').length > 0);
    const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const signature = createHmac('sha256', key).update(signed).digest('base64');
    assert.equal(headers['webhook-signature'], `v1,${signature}`);
  });

  test('a cancelled job calls back too', async () => {
    const job = { model: 'gpt-5-mini', prompt: 'hi', callbackUrl: `${host.url}/cancelled` };
    gateway.simulator.setScenario({ preset: 'hang' });
    const receipt = await call(gateway, '/v1/jobs', job);
    const id = textAt(receipt.body, 'id');
    const cancelled = await fetch(`${gateway.url}/v1/jobs/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${gateway.apiKey}` },
    });
    assert.equal(cancelled.status, 200);
    gateway.simulator.resetScenario();
    const { path, body } = await host.next();
    assert.equal(path, '/cancelled');
    assert.equal(valueAt(JSON.parse(body), 'status'), 'cancelled');
  });
});

suite('forbidden callback addresses', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  test('a callback URL with a private address is refused, in any notation', async () => {
    for (const callbackUrl of [
      'http://127.0.0.1:8787/admin/orgs',
      'http://2130706433/',
      'http://0/',
      'http://localhost/',
      'http://[::1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://[64:ff9b::7f00:1]/',
      'http://[2002:7f00:1::]/',
      'http://169.254.169.254/latest/meta-data/',
      'http://metadata.localhost/',
      'ftp://example.com/',
      'file:///etc/passwd',
    ]) {
      const refused = await call(gateway, '/v1/jobs', {
        model: 'gpt-5-mini',
        prompt: 'hi',
        callbackUrl,
      });
      assert.equal(refused.status, 400, callbackUrl);
      assert.equal(valueAt(refused.body, 'error', 'params', 'field'), 'callbackUrl');
    }
  });
});
