// The caller's deadline overrides a retry, a running call, and the start of a call. Checked against the
// simulator's truth log.

import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { type Answer, type Ask, ask, chatAsk, errorOf } from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

suite("a caller's deadline", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({}, () => 'breaker: { failures: 1000000 }');
  });
  after(() => gateway.close());
  afterEach(() => {
    gateway.simulator.resetScenario();
    gateway.simulator.clearLog();
  });

  function askBy(deadline: string | number, asked: Ask = {}): Promise<Answer> {
    return ask(gateway, { ...asked, headers: { 'x-request-deadline-ms': String(deadline) } });
  }

  function calls(): number {
    return gateway.simulator.log().length;
  }

  test('prevents a retry that would start after it', async () => {
    gateway.simulator.setScenario({ fault: 'rate-limit', retryAfterMs: 5000 });
    const answer = await askBy(1000, chatAsk());
    assert.deepEqual([answer.status, errorOf(answer).code], [429, 'RATE_LIMITED']);
    assert.equal(calls(), 1);
  });

  for (const [how, deadline] of [
    ['a span', () => 300],
    ['a moment', () => Date.now() + 300],
  ] as const) {
    test(`ends a running call without a retry: ${how}`, async () => {
      for (const stream of [false, true]) {
        gateway.simulator.clearLog();
        gateway.simulator.setScenario({ preset: 'hang' });
        const answer = await askBy(deadline(), { stream });
        assert.equal(answer.status, 504);
        assert.deepEqual(errorOf(answer).params, { phase: 'total' });
        await gateway.simulator.waitFor(({ abortedAt }) => abortedAt !== null);
        assert.equal(calls(), 1);
      }
    });
  }

  test('prevents any call if it has passed', async () => {
    const answer = await askBy(Date.now() - 1000);
    assert.equal(answer.status, 504);
    assert.deepEqual(errorOf(answer).params, { phase: 'total' });
    assert.equal(calls(), 0);
  });

  test("is rejected with the header's name if it is invalid", async () => {
    for (const wrong of ['soon', '-5', '0', '1.5']) {
      const answer = await askBy(wrong);
      assert.equal(answer.status, 400, wrong);
      assert.deepEqual(errorOf(answer).params, { field: 'X-Request-Deadline-Ms' });
    }
    assert.equal(calls(), 0);
  });
});
