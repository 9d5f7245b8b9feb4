// The fallback of an alias: the next target, the request it gets, and the caller's error if all targets fail.
// Checked against the simulator's truth log. alias-failover.test.ts covers that an alias moves on and a named
// model does not.

import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { hashCredential } from '../../../src/simulator/truth/digest.ts';
import {
  type Answer,
  administer,
  ask,
  attemptsOf,
  chatAsk,
  errorOf,
  newTenant,
  remainingRequests,
  usageOf,
} from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const FILE = (simulatorUrl: string) => `
retry: { baseMs: 20, overloadedBaseMs: 20, maxInteractiveWaitMs: 500, budgetCapacity: 100000 }
breaker: { failures: 1000000 }
providers:
  first: { baseUrl: "${simulatorUrl}/first/v1", apiKey: key-of-first, models: [first-*] }
  second: { baseUrl: "${simulatorUrl}/second/v1", apiKey: key-of-second, models: [second-*] }
  third: { baseUrl: "${simulatorUrl}/third/v1", apiKey: key-of-third, models: [third-*] }
  several:
    baseUrl: ${simulatorUrl}/several/v1
    models: [several-*]
    accounts:
      - { name: one, apiKey: several-one }
      - { name: two, apiKey: several-two }
aliases:
  pair: { targets: [first/first-small, second/second-small] }
  chain: { targets: [first/first-small, second/second-small, third/third-large] }
models:
  first-small: { contextTokens: 8000 }
  second-small: { contextTokens: 8000 }
  third-large: { contextTokens: 1000000 }
prices:
  fallback: { inputUsd: 1, outputUsd: 2 }
`;

suite('an alias with failing targets', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({}, FILE);
  });
  after(() => gateway.close());
  beforeEach(async () => {
    gateway.simulator.resetScenario();
    gateway.simulator.clearLog();
    await forgetLimits();
  });

  async function forgetLimits(): Promise<void> {
    const { data } = await administer(gateway, 'GET', '/admin/limits');
    for (const { provider, region, model } of data as Record<string, string>[]) {
      const place = `/admin/limits/${provider}/${encodeURIComponent(region ?? '')}`;
      await administer(gateway, 'DELETE', model ? `${place}?model=${model}` : place);
    }
  }

  function chat(model: string, headers = {}): Promise<Answer> {
    return ask(gateway, chatAsk({ model, headers }));
  }

  function asked(): readonly string[] {
    return gateway.simulator.log().map(({ provider, model }) => `${provider}/${model}`);
  }

  for (const preset of [
    'rate-limit',
    'overloaded',
    'server-error',
    'usage-limit',
    'credentials-refused',
    'nginx-502',
    'reset',
    'empty-body',
  ]) {
    test(`${preset}: the next target serves immediately, and the headers count both attempts`, async () => {
      gateway.simulator.setScenario({ provider: 'first', preset });
      const answer = await chat('pair');
      assert.equal(answer.status, 200, answer.text);
      assert.equal(attemptsOf(answer), 2);
      assert.deepEqual(asked(), ['first/first-small', 'second/second-small']);
    });
  }

  for (const preset of ['invalid-request', 'content-policy', 'too-large']) {
    test(`${preset}: no other target is called, because the request itself is invalid`, async () => {
      gateway.simulator.setScenario({ provider: 'first', preset });
      const answer = await chat('pair');
      assert.ok(answer.status === 400 || answer.status === 413, answer.text);
      assert.equal(attemptsOf(answer), 1);
      assert.deepEqual(asked(), ['first/first-small']);
    });
  }

  test('a prompt that is too long for one model goes only to a larger one', async () => {
    gateway.simulator.setScenario({ provider: 'first', preset: 'context-too-long' });
    const answer = await chat('chain');
    assert.equal(answer.status, 200);
    assert.deepEqual(asked(), ['first/first-small', 'third/third-large']);
    gateway.simulator.clearLog();
    const refused = await chat('pair');
    assert.deepEqual([refused.status, errorOf(refused).code], [400, 'CONTEXT_TOO_LONG']);
    assert.deepEqual(asked(), ['first/first-small']);
  });

  test('a larger model that fails is retried alone', async () => {
    gateway.simulator.setScenario([
      { provider: 'first', preset: 'context-too-long' },
      { provider: 'third', preset: 'server-error', times: 1 },
    ]);
    assert.equal((await chat('chain')).status, 200);
    assert.deepEqual(asked(), ['first/first-small', 'third/third-large', 'third/third-large']);
  });

  test('refused credentials are reported to the operator, and to the caller only if no target is left', async () => {
    gateway.simulator.setScenario({ preset: 'credentials-refused' });
    const answer = await chat('pair');
    assert.deepEqual([answer.status, errorOf(answer).code], [502, 'AUTH_FAILED']);
    assert.deepEqual(asked(), ['first/first-small', 'second/second-small']);
    const id = answer.headers.get('x-request-id');
    const { data } = await administer(gateway, 'GET', '/admin/logs?level=critical');
    const told = (data as { requestId: string; metadata: Record<string, string> }[])
      .filter(({ requestId }) => requestId === id)
      .map(({ metadata }) => metadata['provider']);
    assert.deepEqual(new Set(told), new Set(['first', 'second']));
  });

  test('a second round calls all targets again if all have failed', async () => {
    gateway.simulator.setScenario([
      { provider: 'first', preset: 'server-error', times: 2 },
      { provider: 'second', preset: 'overloaded', times: 1 },
    ]);
    const answer = await chat('pair');
    assert.equal(answer.status, 200);
    assert.equal(attemptsOf(answer), 4);
    assert.equal(asked().at(-1), 'second/second-small');
  });

  test('the caller gets the earliest reset if all targets are limited', async () => {
    gateway.simulator.setScenario([
      { provider: 'first', preset: 'usage-limit', resetInSeconds: 3600 },
      { provider: 'second', preset: 'usage-limit', resetInSeconds: 600 },
    ]);
    // Once when the limits are met, and once when they are known.
    for (const calls of [2, 2]) {
      const answer = await chat('pair');
      assert.deepEqual([answer.status, errorOf(answer).code], [429, 'AI_LIMIT_REACHED']);
      const seconds = Number(answer.headers.get('retry-after'));
      assert.ok(seconds > 500 && seconds < 700, `${seconds} s`);
      assert.equal(asked().length, calls);
    }
  });

  test('the last limit does not hide a limit with an earlier reset', async () => {
    gateway.simulator.setScenario([
      { provider: 'first', preset: 'usage-limit', resetInSeconds: 600 },
      { provider: 'second', preset: 'usage-limit', resetInSeconds: 3600 },
    ]);
    const seconds = Number((await chat('pair')).headers.get('retry-after'));
    assert.ok(seconds > 500 && seconds < 700, `${seconds} s`);
  });

  test('a throttled target is waited for even if another refuses the credential', async () => {
    gateway.simulator.setScenario([
      { provider: 'first', preset: 'credentials-refused' },
      { provider: 'second', fault: 'rate-limit', retryAfterMs: 200, times: 1 },
    ]);
    const answers = await Promise.all([chat('pair'), chat('pair')]);
    for (const { status, text } of answers) assert.equal(status, 200, text);
  });

  test('a stream moves to the next target until its first byte was sent', async () => {
    gateway.simulator.setScenario({ provider: 'first', preset: 'overloaded-in-stream' });
    const answer = await ask(gateway, chatAsk({ model: 'pair', stream: true }));
    assert.equal(answer.status, 200);
    assert.ok(answer.text.includes('[DONE]'));
    assert.equal(attemptsOf(answer), 2);
  });

  test('accounts of one provider replace each other, each with its own limit', async () => {
    const key = (name: string) => hashCredential(`several-${name}`);
    gateway.simulator.setScenario({ key: 'several-one', preset: 'usage-limit' });
    for (let turn = 0; turn < 6; turn += 1) assert.equal((await chat('several-model')).status, 200);
    const keys = gateway.simulator.log().map(({ credentialHash }) => credentialHash);
    assert.equal(keys.filter((hash) => hash === key('one')).length, 1);
    assert.equal(keys.filter((hash) => hash === key('two')).length, 6);
  });

  test('a request on several targets counts once for its organisation and once per attempt in its usage', async () => {
    const tenant = await newTenant(gateway, { requestsPerMinute: 10 });
    gateway.simulator.setScenario({ provider: 'first', preset: 'server-error' });
    const answer = await ask(tenant, chatAsk({ model: 'pair' }));
    assert.equal(remainingRequests(answer), 9);
    const { attempts, failures } = await usageOf(tenant, 2);
    assert.deepEqual([attempts, failures], [2, 1]);
  });
});
