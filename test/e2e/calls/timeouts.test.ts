// The clocks of a call: each names its phase when it expires, ends the provider call, and never ends the
// stream cleanly. Clocks are scaled down by the configuration; the truth log is the reference.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, afterEach, before, suite, test } from 'node:test';
import {
  type Answer,
  type Ask,
  ask,
  chatAsk,
  errorOf,
  lastErrorOf,
  newTenant,
  usageOf,
} from '../../support/gateway/call-rig.ts';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';

const CLOCKS = `${SINGLE_ATTEMPTS}
timeouts:
  connectMs: 1200
  firstContentMs: 400
  reasoningFirstContentMs: 1200
  idleMs: 400
  reasoningIdleMs: 1200
  unaryMs: 800
  totalMs: 1200
  holdStatusMs: 1200
models:
  claude-thinker: { reasoning: true }
prices:
  fallback: { inputUsd: 1, outputUsd: 2 }
`;

/** Of those in CLOCKS; a stream that lasts longer is ended by none. */
const LONGEST_CLOCK_MS = 1200;

suite('each clock reports its phase', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({}, () => CLOCKS);
  });
  afterEach(() => gateway.simulator.resetScenario());
  after(() => gateway.close());

  async function play(scenario: object, asked: Ask = {}): Promise<Answer> {
    gateway.simulator.clearLog();
    gateway.simulator.setScenario(scenario);
    const answer = await ask(gateway, asked);
    // Whatever the caller gets, the provider call has ended.
    await gateway.simulator.waitFor(({ finishedAt }) => finishedAt !== null);
    assert.equal(gateway.simulator.log().length, 1);
    return answer;
  }

  function assertTimedOut(answer: Answer, phase: string): void {
    assert.equal(answer.status, 504, answer.text);
    const { code, params, retryable } = errorOf(answer);
    assert.deepEqual([code, params, retryable], ['NETWORK_TIMEOUT', { phase }, true]);
  }

  test('a unary answer that does not begin or does not end: total', async () => {
    for (const preset of ['hang', 'hang-after-headers', 'stall'])
      assertTimedOut(await play({ preset }), 'total');
  });

  test('a stream that does not begin: first_content', async () => {
    assertTimedOut(await play({ preset: 'hang' }, { stream: true }), 'first_content');
  });

  test('a slow unary answer arrives whole, whatever the clocks of streams', async () => {
    const answer = await play({ latencyMs: 600 });
    assert.equal(answer.status, 200, answer.text);
  });

  test('a stream without content, silent or with keep-alives: first_content', async () => {
    for (const scenario of [
      { preset: 'hang-after-headers' },
      { preset: 'keep-alive-only', keepAliveMs: 50 },
    ])
      assertTimedOut(await play(scenario, { stream: true }), 'first_content');
  });

  for (const keepAlive of [{}, { keepAliveMs: 50 }]) {
    const how = 'keepAliveMs' in keepAlive ? 'kept alive' : 'silent';
    test(`a stream that stops after content, ${how}: idle, in an event of its format`, async () => {
      for (const asked of [{ stream: true }, chatAsk({ stream: true })]) {
        const answer = await play({ preset: 'stall', ...keepAlive }, asked);
        assertCutShort(answer, 'idle');
      }
    });
  }

  test('a stream that flows for longer than every clock arrives whole and is charged once', async () => {
    const tenant = await newTenant(gateway);
    gateway.simulator.setScenario({ chunks: 60, chunkDelayMs: 50 });
    const startedAt = performance.now();
    const answer = await ask(tenant, { stream: true, model: 'claude-haiku-4' });
    assert.ok(performance.now() - startedAt > LONGEST_CLOCK_MS);
    assert.equal(answer.status, 200);
    assert.ok(answer.text.includes('message_stop'), answer.text.slice(-300));
    const { attempts, failures, costUsd } = await usageOf(tenant, 1);
    assert.deepEqual([attempts, failures], [1, 0]);
    assert.ok(costUsd > 0);
  });

  test("the caller's deadline ends a stream that flows: total", async () => {
    const headers = { 'x-request-deadline-ms': '700' };
    const endless = { chunks: 1000, chunkDelayMs: 50 };
    assertCutShort(await play(endless, { stream: true, headers }), 'total');
  });

  test('a stream of a model that thinks first has its own, longer clocks', async () => {
    const slow = { latencyMs: 800 };
    assertTimedOut(await play(slow, { stream: true }), 'first_content');
    const late = await play(slow, { stream: true, model: 'claude-thinker' });
    assert.equal(late.status, 200, late.text);
    const pausing = { chunks: 3, chunkDelayMs: 600 };
    const whole = await play(pausing, { stream: true, model: 'claude-thinker' });
    assert.ok(whole.text.includes('message_stop'), whole.text);
  });

  test('a stream that is cut after content reports lost and is charged for the received part', async () => {
    for (const afterChunks of [1, 4]) {
      const tenant = await newTenant(gateway);
      gateway.simulator.setScenario({ preset: 'cut', afterChunks, chunkDelayMs: 20 });
      const answer = await ask(tenant, { stream: true });
      assertCutShort(answer, 'lost');
      const { attempts, failures, inputTokens, outputTokens, costUsd } = await usageOf(tenant, 1);
      assert.deepEqual([attempts, failures], [1, 1]);
      assert.ok(inputTokens > 0 && outputTokens > 0 && costUsd > 0);
    }
  });

  function assertCutShort(answer: Answer, phase: string): void {
    assert.equal(answer.status, 200);
    const { code, params, partial } = lastErrorOf(answer);
    assert.deepEqual([code, params, partial], ['NETWORK_TIMEOUT', { phase }, true]);
    for (const cleanEnd of ['message_stop', '[DONE]']) assert.ok(!answer.text.includes(cleanEnd));
  }
});

test('a provider that does not accept the connection: connect', async (context) => {
  const deaf = await listenWithoutAccepting();
  context.after(() => deaf.close());
  const file = () => `${SINGLE_ATTEMPTS}
timeouts: { connectMs: 300 }
prices: { fallback: { inputUsd: 1, outputUsd: 2 } }
providers: { deaf: { baseUrl: "${deaf.url}", apiKey: k, models: [deaf-*] } }`;
  const gateway = await startTestGateway({}, file);
  context.after(() => gateway.close());
  for (const stream of [false, true]) {
    const answer = await ask(gateway, chatAsk({ model: 'deaf-model', stream }));
    assert.equal(answer.status, 504, answer.text);
    assert.deepEqual(errorOf(answer).params, { phase: 'connect' });
  }
});

test('the status of a stream is delayed until its first content, at most for the configured time', async (context) => {
  const file = () =>
    CLOCKS.replace('holdStatusMs: 1200', 'holdStatusMs: 300').replace(
      '  firstContentMs: 400',
      '  firstContentMs: 1500',
    );
  const gateway = await startTestGateway({}, file);
  context.after(() => gateway.close());
  gateway.simulator.setScenario({ preset: 'keep-alive-only', keepAliveMs: 50 });
  const answer = await ask(gateway, { stream: true });
  assert.equal(answer.status, 200);
  assert.equal(lastErrorOf(answer).params['phase'], 'first_content');
  gateway.simulator.setScenario({ preset: 'overloaded-in-stream' });
  assert.equal((await ask(gateway, { stream: true })).status, 503);
});

/** A stopped server with a full accept backlog: its kernel accepts no further connection. */
async function listenWithoutAccepting() {
  const source = `require('node:net').createServer().listen(0, '127.0.0.1', 1, function () { console.log(this.address().port) })`;
  const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line]: unknown[] = await once(child.stdout, 'data');
  const port = Number(String(line));
  child.kill('SIGSTOP');
  const waiting = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await once(waiting[0] ?? child, 'connect');
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      for (const socket of waiting) socket.destroy();
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test('a timeout of a call that was sent is not retried', async (context) => {
  const file = () => `
timeouts: { unaryMs: 200, firstContentMs: 200, idleMs: 200 }
retry: { baseMs: 1, overloadedBaseMs: 1 }
prices: { fallback: { inputUsd: 1, outputUsd: 2 } }`;
  const gateway = await startTestGateway({}, file);
  context.after(() => gateway.close());
  gateway.simulator.setScenario({ preset: 'hang' });
  for (const stream of [false, true]) {
    gateway.simulator.clearLog();
    const answer = await ask(gateway, { stream, model: 'claude-haiku-4' });
    assert.equal(answer.status, 504, answer.text);
    assert.equal(gateway.simulator.log().length, 1);
  }
});
