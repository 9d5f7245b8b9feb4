// A provider that fails is left alone for a while, then asked by one caller at a time until it is well. Judged by the
// simulator's truth log. That processes share a circuit is the Redis adapter's own test.

import assert from 'node:assert/strict';
import { afterEach, suite, test } from 'node:test';
import { sleep, systemClock } from '../../../src/kernel/clock.ts';
import {
  type Answer,
  ask,
  chatAsk,
  errorOf,
  newTenant,
  remainingRequests,
} from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const OPEN_MS = 400;
/** After so long it may be asked again. */
const REST_MS = OPEN_MS + 20;
const FAILURES = 5;

const FILE = () => `
retry: { throttledRetries: 0, overloadedRetries: 0, errorRetries: 0, networkRetries: 0 }
breaker: { failures: ${FAILURES}, openMs: ${OPEN_MS} }
`;

suite('a provider that fails', () => {
  let gateway: TestGateway;
  afterEach(() => gateway.close());

  function calls(): number {
    return gateway.simulator.log().length;
  }

  async function breakIt(preset = 'server-error'): Promise<Answer[]> {
    gateway.simulator.setScenario({ provider: 'anthropic', preset });
    const answers = [];
    for (let turn = 0; turn < FAILURES; turn += 1) answers.push(await ask(gateway));
    return answers;
  }

  function assertOpen(answer: Answer): void {
    assert.equal(answer.status, 503, answer.text);
    const { code, params } = errorOf(answer);
    assert.deepEqual([code, params['reason']], ['PROVIDER_UNAVAILABLE', 'circuit_open']);
    assert.equal(answer.headers.get('x-rate-limit-type'), 'ai-capacity');
    const waitMs = Number(answer.headers.get('retry-after-ms'));
    assert.ok(waitMs > 0 && waitMs <= OPEN_MS, `${waitMs}`);
  }

  test('is not asked any more, and costs those who are told so nothing', async () => {
    gateway = await startTestGateway({}, FILE);
    const tenant = await newTenant(gateway, { requestsPerMinute: 10 });
    for (const answer of await breakIt()) assert.equal(errorOf(answer).params['reason'], 'error');
    for (const answer of await Promise.all(Array.from({ length: 10 }, () => ask(tenant))))
      assertOpen(answer);
    assert.equal(calls(), FAILURES);
    // Another provider is another circuit.
    assert.equal(remainingRequests(await ask(tenant, chatAsk())), 9);
  });

  test('is asked by one at a time when its time is over, and by all after two good answers', async () => {
    gateway = await startTestGateway({}, FILE);
    await breakIt('overloaded');
    gateway.simulator.clearLog();
    gateway.simulator.setScenario([{ latencyMs: 300 }]);
    await sleep(systemClock, REST_MS);
    for (const probes of [1, 2]) {
      const crowd = await Promise.all(Array.from({ length: 8 }, () => ask(gateway)));
      assert.equal(crowd.filter(({ status }) => status === 200).length, 1);
      assert.equal(calls(), probes);
    }
    const all = await Promise.all(Array.from({ length: 8 }, () => ask(gateway)));
    assert.ok(all.every(({ status }) => status === 200));
  });

  test('is left alone again when the probe fails', async () => {
    gateway = await startTestGateway({}, FILE);
    await breakIt();
    await sleep(systemClock, REST_MS);
    assert.equal(errorOf(await ask(gateway)).params['reason'], 'error');
    assertOpen(await ask(gateway));
    assert.equal(calls(), FAILURES + 1);
  });

  test('is not said to be broken by callers who give it no time', async () => {
    gateway = await startTestGateway({}, FILE);
    gateway.simulator.setScenario({ provider: 'anthropic', preset: 'hang' });
    const hurried = { headers: { 'x-request-deadline-ms': '50' } };
    const answers = Array.from({ length: FAILURES * 2 }, () => ask(gateway, hurried));
    for (const answer of await Promise.all(answers)) assert.equal(answer.status, 504);
    gateway.simulator.resetScenario();
    assert.equal((await ask(gateway)).status, 200);
  });

  test('is not said to be broken for throttles, limits and mistakes of callers', async () => {
    gateway = await startTestGateway({}, FILE);
    for (const preset of [
      'rate-limit-no-delay',
      'invalid-request',
      'content-policy',
      'credentials-refused',
    ])
      await breakIt(preset);
    gateway.simulator.resetScenario();
    assert.equal((await ask(gateway)).status, 200);
  });
});
