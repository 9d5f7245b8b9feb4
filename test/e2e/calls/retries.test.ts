// Retries: which calls, how often, how soon, and their bounds. Checked against the simulator's truth log. The
// delays follow the specification, scaled down by the configuration.

import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import type { TruthEntry } from '../../../src/simulator/simulator.ts';
import {
  type Answer,
  type Ask,
  administer,
  ask,
  attemptsOf,
  type Caller,
  chatAsk,
  errorOf,
  lastErrorOf,
  newTenant,
  remainingRequests,
  usageOf,
} from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const BASE_MS = 24;
const MAX_WAIT_MS = 1000;
const JITTER = 0.25;

const FILE = () => `
retry:
  baseMs: ${BASE_MS}
  overloadedBaseMs: ${2 * BASE_MS}
  maxInteractiveWaitMs: ${MAX_WAIT_MS}
  budgetCapacity: 100000
  refusedCredentialMs: 0
breaker: { failures: 1000000 }
prices:
  fallback: { inputUsd: 1, outputUsd: 2 }
`;

let models = 0;
/** Learnt limits persist per model, so each test uses its own model. */
function freshModel(prefix: 'claude' | 'gpt'): string {
  models += 1;
  return `${prefix}-test-${models}`;
}

suite('retried calls', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({}, FILE);
  });
  after(() => gateway.close());
  afterEach(() => gateway.simulator.resetScenario());

  /** The provider calls that one request caused, and the caller's answer. */
  async function play(
    scenario: object,
    asked: Ask & { readonly model: string },
    to: Caller = gateway,
  ) {
    gateway.simulator.setScenario({ model: asked.model, ...scenario });
    const answer = await ask(to, asked.model.startsWith('gpt') ? chatAsk(asked) : asked);
    return { answer, calls: callsFor(asked.model) };
  }

  function callsFor(model: string): readonly TruthEntry[] {
    return gateway.simulator.log().filter((entry) => entry.model === model);
  }

  test('a throttle with a stated delay is waited for, and the model is not called before', async () => {
    const model = freshModel('gpt');
    const first = play({ fault: 'rate-limit', retryAfterMs: 300, times: 1 }, { model });
    await gateway.simulator.waitFor((entry) => entry.model === model && entry.status === 429);
    const others = Array.from({ length: 5 }, () => ask(gateway, chatAsk({ model })));
    const answers = [(await first).answer, ...(await Promise.all(others))];
    for (const answer of answers) assert.equal(answer.status, 200, answer.text);
    const [refused, ...later] = callsFor(model);
    assert.equal(later.length, 6);
    for (const { startedAt } of later) assert.ok(startedAt - (refused?.startedAt ?? 0) >= 300);
  });

  test("a delay beyond the caller's maximum wait is returned immediately, to the millisecond", async () => {
    const model = freshModel('gpt');
    const scenario = { fault: 'rate-limit', retryAfterMs: 30_000 };
    const { answer, calls } = await play(scenario, { model });
    assert.equal(calls.length, 1);
    assertThrottled(answer);
    assert.equal(errorOf(answer).retryAfterMs, 30_000);
    assert.equal(answer.headers.get('retry-after-ms'), '30000');
    const resetAt = Number(answer.headers.get('x-rate-limit-reset'));
    const arrivedAt = calls[0]?.startedAt ?? 0;
    assert.ok(resetAt >= arrivedAt + 30_000 && resetAt <= Date.now() + 30_000);
    const next = await ask(gateway, chatAsk({ model }));
    assertThrottled(next);
    assert.ok(Number(errorOf(next).retryAfterMs) <= 30_000);
    assert.equal(callsFor(model).length, 1);
  });

  test("delays add up to at most the caller's total wait", async () => {
    const model = freshModel('gpt');
    const { answer, calls } = await play({ fault: 'rate-limit', retryAfterMs: 400 }, { model });
    assertThrottled(answer);
    // Two waits of 400 to 500 ms fit, a third does not.
    assert.equal(calls.length, 3);
    assert.equal(attemptsOf(answer), 3);
  });

  test('a throttle without a delay is retried five times with doubling delays', async () => {
    const model = freshModel('claude');
    const { answer, calls } = await play({ preset: 'rate-limit-no-delay' }, { model });
    assertThrottled(answer);
    assert.deepEqual(
      waitsOf(calls, BASE_MS),
      Array.from({ length: 5 }, () => 'late enough'),
    );
  });

  test('an overloaded provider is retried three times with longer delays', async () => {
    for (const [model, status] of [
      [freshModel('claude'), 529],
      [freshModel('gpt'), 503],
    ] as const) {
      const { answer, calls } = await play({ preset: 'overloaded' }, { model });
      assert.equal(answer.status, 503);
      assert.deepEqual(errorOf(answer).params['reason'], 'overloaded');
      assert.deepEqual(
        calls.map((call) => call.status),
        [status, status, status, status],
      );
      assert.deepEqual(
        waitsOf(calls, 2 * BASE_MS),
        Array.from({ length: 3 }, () => 'late enough'),
      );
    }
  });

  for (const isStream of [false, true]) {
    const how = isStream ? 'streamed' : 'unary';
    const faults = [
      { preset: 'server-error' },
      { preset: 'overloaded' },
      { preset: 'timeout' },
      { preset: 'nginx-502' },
      { preset: 'cloudflare-520' },
      { preset: 'reset' },
      { preset: 'cut-before-content' },
      ...(isStream ? [{ preset: 'overloaded-in-stream' }] : [{ preset: 'cut' }]),
    ];
    for (const fault of faults) {
      test(`${how}: after ${fault.preset} and a successful retry the caller sees only the success`, async () => {
        const model = freshModel('claude');
        const { answer, calls } = await play({ ...fault, times: 1 }, { model, stream: isStream });
        assert.equal(answer.status, 200, answer.text);
        assert.equal(attemptsOf(answer), 2);
        assert.deepEqual([calls.length, calls[1]?.outcome], [2, 'ok']);
        if (isStream) assert.ok(answer.text.includes('message_stop'));
      });
    }
  }

  test('a failure that a retry cannot fix is called once', async () => {
    for (const preset of [
      'invalid-request',
      'model-not-found',
      'content-policy',
      'context-too-long',
      'too-large',
      'credentials-refused',
      'forbidden',
    ]) {
      const model = freshModel('claude');
      const { answer, calls } = await play({ preset }, { model });
      assert.ok(answer.status >= 400, preset);
      assert.equal(calls.length, 1, preset);
      assert.equal(errorOf(answer).retryable, false, preset);
      assert.equal(answer.headers.get('x-should-retry'), 'false', preset);
    }
  });

  test('a call is not retried after content was sent', async () => {
    for (const preset of ['overloaded-mid-stream', 'cut', 'early-end']) {
      const model = freshModel('claude');
      const scenario = { preset, chunkDelayMs: 30 };
      const { answer, calls } = await play(scenario, { model, stream: true });
      assert.equal(answer.status, 200, preset);
      assert.equal(lastErrorOf(answer).partial, true, preset);
      assert.ok(!answer.text.includes('message_stop'), preset);
      assert.equal(calls.length, 1, preset);
    }
  });

  test('each retry is logged with its number, maximum, delay and reason', async () => {
    const model = freshModel('claude');
    const { answer } = await play({ preset: 'server-error', times: 2 }, { model });
    const { data } = await administer(gateway, 'GET', '/admin/logs?type=request&limit=50');
    const id = answer.headers.get('x-request-id');
    const lines = (data as { requestId: string; message: string; metadata: object }[])
      .filter(({ requestId, message }) => requestId === id && message.startsWith('retry'))
      .toReversed();
    assert.deepEqual(
      lines.map(({ message }) => message),
      ['retry 1 of 3', 'retry 2 of 3'],
    );
    for (const { metadata } of lines) {
      assert.equal(Reflect.get(metadata, 'code'), 'PROVIDER_UNAVAILABLE');
      assert.ok(Number(Reflect.get(metadata, 'waitMs')) > 0);
    }
  });

  test('a retried request counts once for its organisation and leaves one record per attempt', async () => {
    const tenant = await newTenant(gateway, { requestsPerMinute: 10 });
    const model = freshModel('claude');
    const { answer } = await play({ preset: 'server-error', times: 2 }, { model }, tenant);
    assert.equal(attemptsOf(answer), 3);
    assert.equal(remainingRequests(answer), 9);
    const { attempts, failures } = await usageOf(tenant, 3);
    assert.deepEqual([attempts, failures], [3, 2]);
    assert.equal(remainingRequests(await ask(tenant, { model })), 8);
  });

  test('a request refused before a call counts against no limit', async () => {
    const tenant = await newTenant(gateway, { requestsPerMinute: 10 }, { models: ['claude-*'] });
    const calls = gateway.simulator.log().length;
    for (const [status, asked] of [
      [400, { body: '{' }],
      [400, { body: { messages: [] } }],
      [404, { model: 'nobody-serves-this' }],
      [400, { headers: { 'x-request-deadline-ms': 'soon' } }],
      [403, chatAsk()],
    ] as const)
      assert.equal((await ask(tenant, asked)).status, status);
    assert.equal(gateway.simulator.log().length, calls);
    assert.equal(remainingRequests(await ask(tenant)), 9);
    assert.equal((await usageOf(tenant, 1)).attempts, 1);
  });
});

test('a provider that fails half of all calls gets at most 1.2 calls per request', async (context) => {
  const file = () => `
retry: { baseMs: 5, overloadedBaseMs: 5 }
breaker: { failures: 1000000 }
`;
  const gateway = await startTestGateway({ ANTHROPIC_RATE_LIMIT: '100000' }, file);
  context.after(() => gateway.close());
  gateway.simulator.setScenario({ errorRates: { '500': 0.5 }, seed: 7 });
  const requests = 400;
  let good = 0;
  for (let batch = 0; batch < requests / 20; batch += 1) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(gateway)));
    good += answers.filter(({ status }) => status === 200).length;
  }
  const calls = gateway.simulator.log().length;
  assert.ok(calls > requests, 'nothing was repeated');
  assert.ok(calls <= 1.2 * requests, `${calls} calls for ${requests} requests`);
  assert.ok(good > 0.5 * requests);
});

function assertThrottled(answer: Answer): void {
  assert.equal(answer.status, 429, answer.text);
  const { code, params } = errorOf(answer);
  assert.deepEqual([code, params['scope']], ['RATE_LIMITED', 'provider']);
  assert.equal(answer.headers.get('x-rate-limit-type'), 'ai-capacity');
}

/** Each delay against the minimum of doubling with jitter; a timer may fire a millisecond early. */
function waitsOf(calls: readonly TruthEntry[], baseMs: number): readonly string[] {
  return calls.slice(1).map(({ startedAt }, index) => {
    const waitedMs = startedAt - (calls[index]?.startedAt ?? 0);
    const leastMs = baseMs * 2 ** index * (1 - JITTER) - 1;
    return waitedMs >= leastMs ? 'late enough' : `${waitedMs} instead of ${leastMs}`;
  });
}
