// The caller's deadline wins over everything else: over a retry, over a call that is under way, and over making one at
// all. Judged by the simulator's truth log.

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

  test('a retry that would come after it is not waited for', async () => {
    gateway.simulator.setScenario({ fault: 'rate-limit', retryAfterMs: 5000 });
    const answer = await askBy(1000, chatAsk());
    assert.deepEqual([answer.status, errorOf(answer).code], [429, 'RATE_LIMITED']);
    assert.equal(calls(), 1);
  });

  for (const [how, deadline] of [
    ['a span', () => 300],
    ['a moment', () => Date.now() + 300],
  ] as const) {
    test(`a call that is under way ends there, and is not made again: ${how}`, async () => {
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

  test('one that has passed makes no call', async () => {
    const answer = await askBy(Date.now() - 1000);
    assert.equal(answer.status, 504);
    assert.deepEqual(errorOf(answer).params, { phase: 'total' });
    assert.equal(calls(), 0);
  });

  test('one that is none is told, naming the header', async () => {
    for (const wrong of ['soon', '-5', '0', '1.5']) {
      const answer = await askBy(wrong);
      assert.equal(answer.status, 400, wrong);
      assert.deepEqual(errorOf(answer).params, { field: 'X-Request-Deadline-Ms' });
    }
    assert.equal(calls(), 0);
  });
});
