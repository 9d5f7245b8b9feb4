// Calls with an Idempotency-Key: executed once, charged once, and replayed, even by a process that was killed
// and restarted. Checked against the simulator's truth log. admin/idempotency.test.ts covers the other
// endpoints.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as openRequest } from 'node:http';
import { join } from 'node:path';
import { after, afterEach, before, suite, test } from 'node:test';
import { sleep, systemClock } from '../../../src/kernel/clock.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import {
  type Answer,
  type Ask,
  ask,
  type Caller,
  CLAUDE,
  chatAsk,
  errorOf,
  messageBody,
  newTenant,
  usageOf,
} from '../../support/gateway/call-rig.ts';
import { runSpillway, type SpillwayProcess } from '../../support/gateway/spillway-process.ts';
import {
  startTestGateway,
  TEST_ADMIN_KEY,
  TEST_API_KEY,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';
import { tempFolder } from '../../support/temp-folder.ts';

function isReplay({ headers }: Answer): boolean {
  return headers.get('idempotent-replayed') === 'true';
}

/** The same request each time, with a fresh key. */
function keyed(asked: Ask = {}): Ask {
  return { ...asked, headers: { ...asked.headers, 'idempotency-key': randomUUID() } };
}

function assertReplayed(first: Answer, second: Answer): void {
  assert.deepEqual([isReplay(first), isReplay(second)], [false, true]);
  assert.deepEqual([second.status, second.text], [first.status, first.text]);
  assert.equal(second.headers.get('content-type'), first.headers.get('content-type'));
  assert.notEqual(second.headers.get('x-request-id'), first.headers.get('x-request-id'));
  for (const name of ['x-spillway-served-by', 'x-spillway-attempts'])
    assert.equal(second.headers.get(name), first.headers.get(name) ?? assert.fail(name));
}

suite('a call with an idempotency key', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  afterEach(() => {
    gateway.simulator.resetScenario();
    gateway.simulator.clearLog();
  });
  after(() => gateway.close());

  function calls(): number {
    return gateway.simulator.log().length;
  }

  for (const asked of [{}, { stream: true }, chatAsk(), chatAsk({ stream: true })]) {
    const what = `${asked.path ?? '/v1/messages'}${JSON.stringify(asked).includes('"stream":true') ? ', streamed' : ''}`;
    test(`${what}: is replayed without a second call or charge`, async () => {
      const tenant = await newTenant(gateway);
      const question = keyed(asked);
      const first = await ask(tenant, question);
      const second = await ask(tenant, question);
      assert.equal(first.status, 200);
      assertReplayed(first, second);
      assert.equal(calls(), 1);
      await ask(tenant);
      assert.equal((await usageOf(tenant, 2)).attempts, 2);
    });
  }

  test('is refused with another payload or path', async () => {
    const question = keyed();
    await ask(gateway, question);
    const other = { ...question, body: messageBody({ stream: true }) };
    for (const asked of [other, { ...question, path: '/v1/messages?beta=true' }]) {
      const answer = await ask(gateway, asked);
      assert.deepEqual([answer.status, errorOf(answer).code], [422, 'UNPROCESSABLE']);
    }
    assert.equal(calls(), 1);
  });

  test('blocks another call with its key only until it has ended', async () => {
    gateway.simulator.setScenario({ latencyMs: 300 });
    const question = keyed();
    const first = ask(gateway, question);
    while (calls() === 0) await new Promise(setImmediate);
    const second = await ask(gateway, question);
    assert.equal(second.status, 409);
    const { code, retryable, retryAfterMs } = errorOf(second);
    assert.deepEqual([code, retryable], ['CONFLICT', true]);
    assert.ok(Number(retryAfterMs) > 0);
    assertReplayed(await first, await ask(gateway, question));
    assert.equal(calls(), 1);
  });

  test('may be repeated after a temporary failure and is replayed after a permanent one', async () => {
    for (const [preset, isKept] of [
      ['server-error', false],
      ['overloaded', false],
      ['reset', false],
      ['rate-limit-no-delay', false],
      ['invalid-request', true],
      ['content-policy', true],
    ] as const) {
      gateway.simulator.clearLog();
      gateway.simulator.setScenario({ preset, times: 1 });
      const question = keyed();
      const first = await ask(gateway, question);
      const second = await ask(gateway, question);
      assert.ok(first.status >= 400, preset);
      assert.equal(calls(), isKept ? 1 : 2, preset);
      if (isKept) assertReplayed(first, second);
      else assert.deepEqual([second.status, isReplay(second)], [200, false], preset);
    }
  });

  test('may be corrected under its key if it was refused before a provider call', async () => {
    const tenant = await newTenant(gateway, { requestsPerMinute: 1 });
    const question = keyed();
    const unknown = messageBody({ model: 'nobody-serves-this' });
    for (const body of ['{', { messages: [] }])
      assert.equal((await ask(tenant, { ...question, body })).status, 400);
    assert.equal((await ask(tenant, { ...question, body: unknown })).status, 404);
    assert.equal((await ask(tenant)).status, 200);
    assert.equal((await ask(tenant, question)).status, 429);
    // Under the same key in another organisation, and therefore as a first call.
    const answer = await ask(await newTenant(gateway), question);
    assert.deepEqual([answer.status, isReplay(answer)], [200, false]);
  });

  test("is independent of another organisation's equal key", async () => {
    const question = keyed();
    const tenants = [await newTenant(gateway), await newTenant(gateway)];
    const answers: Answer[] = [];
    for (const tenant of tenants) answers.push(await ask(tenant, question));
    assert.deepEqual(answers.map(isReplay), [false, false]);
    assert.notEqual(answers[0]?.text, answers[1]?.text);
    assert.equal(calls(), 2);
  });

  test('fails on repetition if its answer was cut or is too large to store', async () => {
    for (const [scenario, stream] of [
      [{ preset: 'cut', chunkDelayMs: 20 }, true],
      [{ text: 'x'.repeat(1_200_000) }, false],
    ] as const) {
      gateway.simulator.clearLog();
      gateway.simulator.setScenario(scenario);
      const body = { ...messageBody({ stream }), max_tokens: 1_000_000 };
      const question = keyed({ body });
      assert.equal((await ask(gateway, question)).status, 200);
      const again = await ask(gateway, question);
      assert.deepEqual([again.status, errorOf(again).retryable], [409, false]);
      assert.equal(again.headers.get('x-should-retry'), 'false');
      assert.equal(calls(), 1);
    }
  });

  test('may be repeated after a disconnect before the answer, not after content', async () => {
    for (const [preset, status] of [
      ['hang', 200],
      ['stall', 409],
    ] as const) {
      gateway.simulator.clearLog();
      gateway.simulator.setScenario({ preset, times: 1 });
      const question = keyed({ stream: true });
      await leave(gateway, question, preset === 'stall');
      await gateway.simulator.waitFor(({ abortedAt }) => abortedAt !== null);
      const again = await settled(gateway, question);
      assert.equal(again.status, status, `${preset}: ${again.text}`);
    }
  });

  test('may be repeated after a stale answer', async () => {
    const tenant = await newTenant(gateway, { allowStale: true });
    const asked = { headers: { 'x-spillway-degrade': 'stale' } };
    assert.equal((await ask(tenant, asked)).status, 200);
    gateway.simulator.setScenario({ preset: 'server-error', times: 1 });
    const question = keyed(asked);
    const stale = await ask(tenant, question);
    assert.match(stale.headers.get('x-spillway-degraded') ?? '', /^stale/);
    const fresh = await ask(tenant, question);
    assert.deepEqual([fresh.status, isReplay(fresh)], [200, false]);
    assert.equal(fresh.headers.get('x-spillway-degraded'), null);
  });

  /** Repeats the call until the first one has been dropped or settled; while it runs, 409 is retryable. */
  async function settled(place: Caller, question: Ask): Promise<Answer> {
    for (;;) {
      const answer = await ask(place, question);
      if (answer.status !== 409 || !errorOf(answer).retryable) return answer;
    }
  }

  async function leave(place: Caller, question: Ask, isAfterContent: boolean): Promise<void> {
    const caller = openRequest(`${place.url}/v1/messages`, {
      method: 'POST',
      headers: {
        'x-api-key': place.apiKey,
        'content-type': 'application/json',
        ...question.headers,
      },
      agent: false,
    });
    caller.on('error', () => {});
    caller.end(JSON.stringify(messageBody({ stream: true })));
    if (isAfterContent) {
      const [response] = (await once(caller, 'response')) as [IncomingMessage];
      await once(response, 'data');
    } else await gateway.simulator.waitFor(({ outcome }) => outcome === 'hung');
    caller.destroy();
  }
});

test('a call is replayed by a process that was killed and restarted', async (context) => {
  const processes: SpillwayProcess[] = [];
  // Before the hook that removes its folder.
  context.after(async () => {
    for (const process of processes) process.kill('SIGTERM');
    await Promise.all(processes.map((process) => process.ended()));
  });
  const simulator = await startSimulator({ clock: systemClock });
  context.after(() => simulator.close());
  const env = {
    SPILLWAY_DATA_DIR: join(tempFolder(context), 'data'),
    SPILLWAY_API_KEY: TEST_API_KEY,
    SPILLWAY_ADMIN_KEY: TEST_ADMIN_KEY,
    ANTHROPIC_API_KEY: 'provider-key',
    ANTHROPIC_BASE_URL: simulator.url,
    LOG_LEVEL: 'critical',
  };
  const start = async () => {
    const process = runSpillway(['serve'], env);
    processes.push(process);
    return { process, place: { url: await process.ready(), apiKey: TEST_API_KEY } };
  };
  const answered = [keyed(), keyed({ stream: true })];
  const cutOff = keyed({ headers: { 'x-request-deadline-ms': '3000' } });

  const first = await start();
  const answers: Answer[] = [];
  for (const question of answered) answers.push(await ask(first.place, question));
  simulator.setScenario({ preset: 'hang' });
  const lost = ask(first.place, cutOff).catch(() => undefined);
  await simulator.waitFor(({ outcome }) => outcome === 'hung');
  first.process.kill('SIGKILL');
  await Promise.all([first.process.ended(), lost]);

  simulator.resetScenario();
  const second = await start();
  for (const [index, question] of answered.entries()) {
    const earlier = answers[index];
    assert.ok(earlier);
    assertReplayed(earlier, await ask(second.place, question));
  }
  assert.equal(simulator.log().length, 3);
  // A call that ran when the process died may have been executed: its key is free at its deadline, not
  // before.
  for (;;) {
    const answer = await ask(second.place, cutOff);
    if (answer.status === 200) break;
    assert.deepEqual([answer.status, errorOf(answer).retryable], [409, true]);
    await sleep(systemClock, Number(errorOf(answer).retryAfterMs));
  }
  assert.equal(simulator.log().at(-1)?.model, CLAUDE);
  assert.equal(simulator.log().length, 4);
});
