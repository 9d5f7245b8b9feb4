// The circuit breaker end to end: a failing provider is not called for a while, then probed by one call at a time until it
// has recovered. The simulator's truth log is the evidence. The sharing of circuits is tested in e2e/limits.

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
/** After this time a probe is due. */
const UNTIL_PROBE_MS = OPEN_MS + 20;
const FAILURES = 5;

const settings = (openMs: number) => () =>
  `
retry: { throttledRetries: 0, overloadedRetries: 0, errorRetries: 0, networkRetries: 0 }
breaker: { failures: ${FAILURES}, openMs: ${openMs} }
`;
const FILE = settings(OPEN_MS);
/** For a test that calls only while the circuit is open. */
const LONG_OPEN_MS = 60_000;

suite('a failing provider', () => {
  let gateway: TestGateway;
  afterEach(() => gateway.close());

  function calls(): number {
    return gateway.simulator.log().length;
  }

  async function openCircuit(preset = 'server-error'): Promise<Answer[]> {
    gateway.simulator.setScenario({ provider: 'anthropic', preset });
    const answers = [];
    for (let turn = 0; turn < FAILURES; turn += 1) answers.push(await ask(gateway));
    return answers;
  }

  function assertOpen(answer: Answer, openMs = OPEN_MS): void {
    assert.equal(answer.status, 503, answer.text);
    const { code, params } = errorOf(answer);
    assert.deepEqual([code, params['reason']], ['PROVIDER_UNAVAILABLE', 'circuit_open']);
    assert.equal(answer.headers.get('x-rate-limit-type'), 'ai-capacity');
    const waitMs = Number(answer.headers.get('retry-after-ms'));
    assert.ok(waitMs > 0 && waitMs <= openMs, `${waitMs}`);
  }

  test('is not called again, and a refused caller’s limit is not charged', async () => {
    gateway = await startTestGateway({}, settings(LONG_OPEN_MS));
    const tenant = await newTenant(gateway, { requestsPerMinute: 10 });
    for (const answer of await openCircuit())
      assert.equal(errorOf(answer).params['reason'], 'error');
    for (const answer of await Promise.all(Array.from({ length: 10 }, () => ask(tenant))))
      assertOpen(answer, LONG_OPEN_MS);
    assert.equal(calls(), FAILURES);
    // Another provider has another circuit.
    assert.equal(remainingRequests(await ask(tenant, chatAsk())), 9);
  });

  test('is probed by one call at a time after the open time, and called by all after two successes', async () => {
    gateway = await startTestGateway({}, FILE);
    await openCircuit('overloaded');
    gateway.simulator.clearLog();
    gateway.simulator.setScenario([{ latencyMs: 300 }]);
    await sleep(systemClock, UNTIL_PROBE_MS);
    for (const probes of [1, 2]) {
      const crowd = await Promise.all(Array.from({ length: 8 }, () => ask(gateway)));
      assert.equal(crowd.filter(({ status }) => status === 200).length, 1);
      assert.equal(calls(), probes);
    }
    const all = await Promise.all(Array.from({ length: 8 }, () => ask(gateway)));
    assert.ok(all.every(({ status }) => status === 200));
  });

  test('is not called again after a failed probe', async () => {
    gateway = await startTestGateway({}, FILE);
    await openCircuit();
    await sleep(systemClock, UNTIL_PROBE_MS);
    assert.equal(errorOf(await ask(gateway)).params['reason'], 'error');
    assertOpen(await ask(gateway));
    assert.equal(calls(), FAILURES + 1);
  });

  test('keeps its circuit closed when callers set short deadlines', async () => {
    gateway = await startTestGateway({}, FILE);
    gateway.simulator.setScenario({ provider: 'anthropic', preset: 'hang' });
    const hurried = { headers: { 'x-request-deadline-ms': '50' } };
    const answers = Array.from({ length: FAILURES * 2 }, () => ask(gateway, hurried));
    for (const answer of await Promise.all(answers)) assert.equal(answer.status, 504);
    gateway.simulator.resetScenario();
    assert.equal((await ask(gateway)).status, 200);
  });

  test('keeps its circuit closed on throttles, refused credentials and callers’ mistakes', async () => {
    gateway = await startTestGateway({}, FILE);
    for (const preset of [
      'rate-limit-no-delay',
      'invalid-request',
      'content-policy',
      'credentials-refused',
    ])
      await openCircuit(preset);
    gateway.simulator.resetScenario();
    assert.equal((await ask(gateway)).status, 200);
  });
});
