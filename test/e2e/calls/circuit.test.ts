// The circuit breaker end to end: a failing provider is not called for a while, then probed by one call at a time until it
// has recovered. The simulator's truth log is the evidence. The sharing of circuits is tested in e2e/limits.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';
import {
  type Answer,
  ask,
  chatAsk,
  errorOf,
  newTenant,
  remainingRequests,
} from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';
import { createForwardClock } from '../../support/test-clock.ts';

/** Longer than any test takes: a probe is due only when the test skips this time. */
const OPEN_MS = 60_000;
const FAILURES = 5;
/** Long enough for all callers of a crowd to arrive while a probe is in flight. */
const PROBE_LATENCY_MS = 1000;
const FILE = `
retry: { throttledRetries: 0, overloadedRetries: 0, errorRetries: 0, networkRetries: 0 }
breaker: { failures: ${FAILURES}, openMs: ${OPEN_MS} }
`;

suite('a failing provider', () => {
  let gateway: TestGateway;
  const clock = createForwardClock();
  beforeEach(async () => {
    gateway = await startTestGateway({}, () => FILE, clock);
  });
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

  function assertOpen(answer: Answer): void {
    assert.equal(answer.status, 503, answer.text);
    const { code, params } = errorOf(answer);
    assert.deepEqual([code, params['reason']], ['PROVIDER_UNAVAILABLE', 'circuit_open']);
    assert.equal(answer.headers.get('x-rate-limit-type'), 'ai-capacity');
    const waitMs = Number(answer.headers.get('retry-after-ms'));
    assert.ok(waitMs > 0 && waitMs <= OPEN_MS, `${waitMs}`);
  }

  test('is not called again, and a refused caller’s limit is not charged', async () => {
    const tenant = await newTenant(gateway, { requestsPerMinute: 10 });
    for (const answer of await openCircuit())
      assert.equal(errorOf(answer).params['reason'], 'error');
    for (const answer of await Promise.all(Array.from({ length: 10 }, () => ask(tenant))))
      assertOpen(answer);
    assert.equal(calls(), FAILURES);
    // Another provider has another circuit.
    assert.equal(remainingRequests(await ask(tenant, chatAsk())), 9);
  });

  test('is probed by one call at a time after the open time, and called by all after two successes', async () => {
    await openCircuit('overloaded');
    gateway.simulator.clearLog();
    gateway.simulator.setScenario([{ latencyMs: PROBE_LATENCY_MS }]);
    clock.skip(OPEN_MS);
    for (const probes of [1, 2]) {
      const crowd = await Promise.all(Array.from({ length: 8 }, () => ask(gateway)));
      assert.equal(crowd.filter(({ status }) => status === 200).length, 1);
      assert.equal(calls(), probes);
    }
    const all = await Promise.all(Array.from({ length: 8 }, () => ask(gateway)));
    assert.ok(all.every(({ status }) => status === 200));
  });

  test('is not called again after a failed probe', async () => {
    await openCircuit();
    clock.skip(OPEN_MS);
    assert.equal(errorOf(await ask(gateway)).params['reason'], 'error');
    assertOpen(await ask(gateway));
    assert.equal(calls(), FAILURES + 1);
  });

  test('keeps its circuit closed when callers set short deadlines', async () => {
    gateway.simulator.setScenario({ provider: 'anthropic', preset: 'hang' });
    const hurried = { headers: { 'x-request-deadline-ms': '50' } };
    const answers = Array.from({ length: FAILURES * 2 }, () => ask(gateway, hurried));
    for (const answer of await Promise.all(answers)) assert.equal(answer.status, 504);
    gateway.simulator.resetScenario();
    assert.equal((await ask(gateway)).status, 200);
  });

  test('keeps its circuit closed on throttles, refused credentials and callers’ mistakes', async () => {
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
