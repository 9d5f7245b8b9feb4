// A provider announces a usage limit: the gateway makes no call before the reset time, answers each call with that time, and calls
// again afterwards. The simulator's truth log is the evidence.

import assert from 'node:assert/strict';
import { afterEach, suite, test } from 'node:test';
import {
  type Answer,
  type Ask,
  administer,
  ask,
  chatAsk,
  errorOf,
  newTenant,
  remainingRequests,
  usageOf,
} from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const RESET_SECONDS = 600;
const LIMITED = { preset: 'usage-limit', resetInSeconds: RESET_SECONDS };

suite('a provider with a known limit', () => {
  let gateway: TestGateway;
  afterEach(() => gateway.close());

  function calls(): number {
    return gateway.simulator.log().length;
  }

  test('is not called again, and each call is answered with the reset time', async () => {
    gateway = await startTestGateway();
    gateway.simulator.setScenario({ provider: 'anthropic', ...LIMITED });
    const answers = [await ask(gateway)];
    for (let turn = 0; turn < 20; turn += 1)
      answers.push(await ask(gateway, { stream: turn % 2 === 0 }));
    assert.equal(calls(), 1);
    for (const answer of answers) assertLimited(answer);
    assert.equal((await ask(gateway, chatAsk())).status, 200);
  });

  test('is not called again once the first of many concurrent calls was refused', async () => {
    gateway = await startTestGateway();
    gateway.simulator.setScenario({ ...LIMITED, latencyMs: 50 });
    const crowd = Array.from({ length: 20 }, () => ask(gateway));
    for (const answer of await Promise.all(crowd)) assertLimited(answer);
    const before = calls();
    for (const answer of await Promise.all(Array.from({ length: 50 }, () => ask(gateway))))
      assertLimited(answer);
    assert.equal(calls(), before);
  });

  test('answers background requests with the background sentence', async () => {
    gateway = await startTestGateway();
    gateway.simulator.setScenario(LIMITED);
    const usual = await ask(gateway);
    const background = await ask(gateway, { headers: { 'x-request-type': 'background' } });
    assertLimited(background);
    assert.notEqual(errorOf(background).message, errorOf(usual).message);
    assert.match(errorOf(background).message, /paused|continue/i);
    const german = await ask(gateway, {
      headers: { 'x-request-type': 'background', 'accept-language': 'de' },
    });
    assert.notEqual(errorOf(german).message, errorOf(background).message);
  });

  test('offers the queue only to keys that may use it', async () => {
    gateway = await startTestGateway();
    gateway.simulator.setScenario(LIMITED);
    const limited = await newTenant(gateway, {}, { scopes: ['call'] });
    for (const [caller, hasQueue] of [
      [gateway, true],
      [limited, false],
    ] as const) {
      const { queueAvailable, suggestedActions } = errorOf(await ask(caller));
      assert.equal(queueAvailable, hasQueue);
      assert.deepEqual(suggestedActions, hasQueue ? ['wait', 'queue'] : ['wait']);
    }
  });

  test('costs a refused caller nothing', async () => {
    gateway = await startTestGateway();
    gateway.simulator.setScenario({ provider: 'anthropic', ...LIMITED });
    const tenant = await newTenant(gateway, { requestsPerMinute: 10 });
    await ask(gateway);
    for (let turn = 0; turn < 12; turn += 1) assertLimited(await ask(tenant));
    assert.equal(remainingRequests(await ask(tenant, chatAsk())), 9);
    assert.equal((await usageOf(tenant, 1)).attempts, 1);
  });

  test('is called again after its reset', async () => {
    gateway = await startTestGateway();
    gateway.simulator.setScenario({ preset: 'usage-limit', resetInSeconds: 1 });
    const refused = await ask(gateway);
    assert.equal(refused.status, 429);
    const resetAt = Number(refused.headers.get('x-rate-limit-reset'));
    const answer = await untilServed(gateway);
    assert.equal(answer.status, 200);
    const [first, ...later] = gateway.simulator.log();
    assert.equal(first?.status, 429);
    // The caller is given the provider's own reset time; the call comes a little later, because clocks differ.
    for (const { startedAt, status } of later) {
      assert.ok(startedAt >= resetAt, `${resetAt - startedAt} ms too early`);
      assert.equal(status, 200);
    }
  });

  test('is not called for one model only, if the limit is of that model', async () => {
    gateway = await startTestGateway();
    gateway.simulator.setScenario({ provider: 'gemini', preset: 'usage-limit-headers' });
    for (let turn = 0; turn < 3; turn += 1) await ask(gateway, geminiAsk('gemini-2.5-pro'));
    assert.equal(calls(), 1);
    gateway.simulator.setScenario({ provider: 'gemini', preset: 'healthy' });
    assert.equal((await ask(gateway, geminiAsk('gemini-2.5-pro'))).status, 429);
    assert.equal((await ask(gateway, geminiAsk('gemini-2.5-flash'))).status, 200);
    const { data } = await administer(gateway, 'GET', '/admin/limits');
    assert.deepEqual(Array.isArray(data) && data.map(({ model }) => model), ['gemini-2.5-pro']);
  });

  for (const preset of [
    'usage-limit-headers',
    'usage-limit-in-stream',
    'spend-limit',
    'credits-exhausted',
  ]) {
    test(`is not called again after ${preset}`, async () => {
      gateway = await startTestGateway();
      gateway.simulator.setScenario({ preset });
      const answers = [await ask(gateway, { stream: true }), await ask(gateway)];
      for (const answer of answers)
        assert.deepEqual([answer.status, errorOf(answer).code], [429, 'AI_LIMIT_REACHED'], preset);
      assert.equal(calls(), 1);
    });
  }
});

function geminiAsk(model: string): Ask {
  const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
  return { path: `/v1beta/models/${model}:generateContent`, body: { contents } };
}

async function untilServed(gateway: TestGateway): Promise<Answer> {
  for (;;) {
    const answer = await ask(gateway);
    if (answer.status !== 429) return answer;
    const waitMs = Number(answer.headers.get('retry-after-ms'));
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

function assertLimited(answer: Answer): void {
  assert.equal(answer.status, 429, answer.text);
  const { headers } = answer;
  const { code, retryable } = errorOf(answer);
  assert.deepEqual([code, retryable], ['AI_LIMIT_REACHED', false]);
  assert.equal(headers.get('x-rate-limit-type'), 'ai-capacity');
  assert.equal(headers.get('x-should-retry'), 'false');
  const resetInMs = Number(headers.get('x-rate-limit-reset')) - Date.now();
  assert.ok(resetInMs > (RESET_SECONDS - 60) * 1000 && resetInMs < (RESET_SECONDS + 60) * 1000);
  assert.ok(Number(headers.get('retry-after')) > RESET_SECONDS - 60);
}
