// Organisations share provider accounts. No request of one organisation stops the others: limits and circuits are learnt
// from the provider's own statements only. Each test is an attack that once stopped a provider for all.

import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import {
  type Ask,
  administer,
  ask,
  type Caller,
  CLAUDE,
  chatAsk,
  errorOf,
  messageBody,
  newTenant,
} from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';
import { until } from '../../support/stores/redis-rig.ts';
import { forgetLearnt } from './learnt-state.ts';

const FILE = () => `
retry: { throttledRetries: 0, overloadedRetries: 0, errorRetries: 0, networkRetries: 0, maxInteractiveWaitMs: 0 }
`;
const FAILURES = 5;
const ROOMY = { requestsPerMinute: 100_000, monthlyBudgetUsd: 1000 };

suite('an organisation beside a hostile one', () => {
  let gateway: TestGateway;
  let hostile: Caller & { readonly organizationId: string };
  let other: Caller;
  before(async () => {
    gateway = await startTestGateway({}, FILE);
    hostile = await newTenant(gateway, ROOMY);
    other = await newTenant(gateway, ROOMY);
  });
  after(() => gateway.close());
  afterEach(async () => {
    gateway.simulator.resetScenario();
    await forgetLearnt(gateway);
  });

  async function attack(asked: Ask, times = FAILURES + 1): Promise<void> {
    for (let call = 0; call < times; call += 1) await ask(hostile, asked);
    gateway.simulator.resetScenario();
  }

  async function assertServed(): Promise<void> {
    for (const asked of [{}, { model: 'claude-opus-4-1' }, { stream: true }, chatAsk()]) {
      const answer = await ask(other, asked);
      assert.equal(answer.status, 200, answer.text);
    }
  }

  for (const name of [
    'credit balance is too low try again in 700 hours',
    'usage limit reached|4070908800',
    'overloaded_error',
  ])
    test(`is served after a 400 that quotes the field "${name}"`, async () => {
      gateway.simulator.setScenario({ fault: 'invalid-request', echo: 'before' });
      await attack({ body: { ...messageBody(), [name]: 1 } });
      await assertServed();
      const { data } = await administer(gateway, 'GET', '/admin/limits');
      assert.deepEqual(data, []);
    });

  test('does not make the log report a refused key or a limit by the words of a 400', async () => {
    gateway.simulator.setScenario({ fault: 'invalid-request', echo: 'before' });
    const entriesOf = async (query: string) =>
      (await administer(gateway, 'GET', `/admin/logs?${query}`))['data'];
    const before = [await entriesOf('level=critical'), await entriesOf('type=ai_limit')];
    for (const [text, status] of [
      ['API key not valid', 502],
      ['credit balance is too low', 429],
    ] as const)
      assert.equal((await ask(hostile, { body: { ...messageBody(), [text]: 1 } })).status, status);
    const after = [await entriesOf('level=critical'), await entriesOf('type=ai_limit')];
    assert.deepEqual(after, before);
  });

  for (const preset of ['malformed-json', 'truncated-json', 'empty-body'])
    test(`is served after unreadable answers of the other (${preset})`, async () => {
      gateway.simulator.setScenario({ preset });
      await attack({});
      await attack(chatAsk());
      await assertServed();
    });

  test('is served after a stream of the other without an end, and after its error event', async () => {
    gateway.simulator.setScenario({ preset: 'early-end' });
    await attack({ stream: true });
    gateway.simulator.setScenario({ fault: 'invalid-request', echo: 'after', afterChunks: 0 });
    await attack({
      body: { ...messageBody({ stream: true }), overloaded_error: 'overloaded_error' },
    });
    await assertServed();
  });

  for (const status of [400, 404, 413, 422, 409])
    test(`is served after requests that the provider refuses with ${status} as overloaded`, async () => {
      gateway.simulator.setScenario({ fault: 'overloaded', status });
      await attack({});
      await assertServed();
    });

  test('is served after deadlines that the other set too short', async () => {
    gateway.simulator.setScenario({ latencyMs: 300 });
    await attack({ headers: { 'x-request-deadline-ms': '30' } });
    await assertServed();
  });

  test('is served while failures of the other alone open a circuit, which names it', async () => {
    assert.equal((await ask(other)).status, 200);
    gateway.simulator.setScenario({ preset: 'server-error' });
    await attack({});
    await assertServed();
    const refused = await ask(hostile);
    assert.deepEqual([refused.status, errorOf(refused).params['reason']], [503, 'circuit_open']);
    const { data } = await administer(gateway, 'GET', '/admin/breakers');
    assert.partialDeepStrictEqual(
      (data as { organization: string | null }[]).filter(({ organization }) => organization),
      [{ provider: 'anthropic', organization: hostile.organizationId, state: 'open' }],
    );
  });

  test('shares the circuit that failures of both open', async () => {
    gateway.simulator.setScenario({ preset: 'server-error' });
    for (let call = 0; call < FAILURES - 1; call += 1) await ask(hostile);
    await ask(other);
    gateway.simulator.resetScenario();
    const third = await newTenant(gateway, ROOMY);
    for (const caller of [hostile, other, third]) assert.equal((await ask(caller)).status, 503);
  });

  test('gets the limit that the other met, and the record names the request that met it', async () => {
    gateway.simulator.setScenario({ provider: 'anthropic', preset: 'usage-limit' });
    const met = await ask(hostile);
    assert.equal(met.status, 429, met.text);
    assert.equal(errorOf(await ask(other)).code, 'AI_LIMIT_REACHED');
    const { data } = await administer(gateway, 'GET', '/admin/limits');
    const [limit] = data as { requestId: string }[];
    assert.equal(limit?.requestId, met.headers.get('x-request-id'));
    const record = await administer(gateway, 'GET', `/admin/requests/${limit.requestId}`);
    assert.equal(record['organizationId'], hostile.organizationId);
  });

  test('learns an exhausted balance from the vendor’s whole sentence in a 400', async () => {
    gateway.simulator.setScenario({ provider: 'anthropic', preset: 'credits-exhausted' });
    await ask(hostile);
    gateway.simulator.resetScenario();
    assert.equal(errorOf(await ask(other)).code, 'AI_LIMIT_REACHED');
  });

  test('is not blocked for longer than 32 days, nor by a throttle for longer than an hour', async () => {
    const years = 3 * 365 * 86_400;
    for (const [preset, maxMs] of [
      ['usage-limit', 32 * 86_400_000],
      ['rate-limit', 3_600_000],
    ] as const) {
      const stated = preset === 'rate-limit' ? { retryAfterMs: 86_400_000 } : {};
      gateway.simulator.setScenario({
        provider: 'anthropic',
        preset,
        ...stated,
        headers: { 'retry-after': String(preset === 'rate-limit' ? 299 : years) },
      });
      await ask(hostile);
      const { data } = await administer(gateway, 'GET', '/admin/limits');
      const [limit] = data as { resetAt: number; setAt: number }[];
      assert.ok(limit && limit.resetAt - limit.setAt <= maxMs, JSON.stringify(data));
      await forgetLearnt(gateway);
    }
  });

  for (const [path, body] of [
    ['/v1/messages', messageBody()],
    ['/v1/messages/count_tokens', messageBody()],
    ['/v1/chat/completions', { model: 'gpt-5-mini', messages: [] }],
    ['/v1/responses', { model: 'gpt-5-mini', input: 'x' }],
    ['/v1beta/models/gemini-2.5-flash:generateContent', { contents: [] }],
  ] as const)
    test(`${path} refuses {"stream":1} by name and calls no provider`, async () => {
      gateway.simulator.clearLog();
      const answer = await ask(hostile, { path, body: { ...body, stream: 1 } });
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.text, /"field":"stream"/);
      assert.equal(gateway.simulator.log().length, 0);
    });

  test('is served after a 400 that quotes a job of the other', async () => {
    gateway.simulator.setScenario({ fault: 'invalid-request', echo: 'after' });
    const text = 'credit balance is too low try again in 700 hours|4070908800';
    const body = {
      model: CLAUDE,
      request: { ...messageBody(), [text]: text },
      metadata: { [text]: text },
    };
    const receipt = await ask(hostile, { path: '/v1/jobs', body });
    assert.equal(receipt.status, 202, receipt.text);
    const { id } = JSON.parse(receipt.text) as { id: string };
    await settled(id);
    gateway.simulator.resetScenario();
    await assertServed();
    assert.deepEqual((await administer(gateway, 'GET', '/admin/limits'))['data'], []);
  });

  test('has its jobs run while those of the other wait for the circuit that the other has opened', async () => {
    assert.equal((await ask(other)).status, 200);
    gateway.simulator.setScenario({ preset: 'server-error' });
    await attack({});
    gateway.simulator.clearLog();
    const waiting = await submit(hostile);
    await settled(waiting);
    const running = await submit(other);
    await until(async () => /"type":"succeeded"/.test(await eventsOf(other, running)));
    const events = await eventsOf(hostile, waiting);
    assert.match(events, /"code":"PROVIDER_UNAVAILABLE"/);
    assert.doesNotMatch(events, /"type":"running"/);
    assert.equal(gateway.simulator.log().length, 1);
  });

  async function submit(caller: Caller): Promise<string> {
    const body = { model: CLAUDE, prompt: 'Hello' };
    const receipt = await ask(caller, { path: '/v1/jobs', body });
    assert.equal(receipt.status, 202, receipt.text);
    return (JSON.parse(receipt.text) as { id: string }).id;
  }

  async function eventsOf({ apiKey }: Caller, id: string): Promise<string> {
    const headers = { 'x-api-key': apiKey };
    return (await fetch(`${gateway.url}/v1/jobs/${id}/events`, { headers })).text();
  }

  /** The first run of the job has ended, or the job waits. */
  async function settled(id: string): Promise<void> {
    await until(async () => /"type":"(?:delayed|failed)"/.test(await eventsOf(hostile, id)));
  }

  test('a job with {"stream":1} is refused by name', async () => {
    const body = { model: CLAUDE, request: { ...messageBody(), stream: 1 } };
    const answer = await ask(hostile, { path: '/v1/jobs', body });
    assert.deepEqual([answer.status, errorOf(answer).params['field']], [400, 'request.stream']);
  });
});

test('403s that organisations provoke together fail no call of another, and each of them reaches the provider once', async (context) => {
  const gateway = await startTestGateway({}, () =>
    `${FILE()}  `.replace('{ ', '{ refusedCredentialMs: 50000, '),
  );
  context.after(() => gateway.close());
  const hostile = await Promise.all([1, 2, 3].map(() => newTenant(gateway, ROOMY)));
  const other = await newTenant(gateway, ROOMY);
  gateway.simulator.setScenario({ fault: 'forbidden' });
  for (let call = 0; call < FAILURES; call += 1)
    for (const caller of hostile) assert.equal(errorOf(await ask(caller)).code, 'AUTH_FAILED');
  assert.equal(gateway.simulator.log().length, hostile.length);
  gateway.simulator.resetScenario();
  assert.equal((await ask(other)).status, 200);
});

test('failures of one organisation leave retries to another', async (context) => {
  const file = () => 'retry: { baseMs: 5 }\nbreaker: { failures: 1000000 }\n';
  const gateway = await startTestGateway({}, file);
  context.after(() => gateway.close());
  const hostile = await newTenant(gateway, ROOMY);
  gateway.simulator.setScenario({ preset: 'server-error' });
  await Promise.all(Array.from({ length: 60 }, () => ask(hostile)));
  gateway.simulator.setScenario({ preset: 'server-error', times: 1 });
  const answer = await ask(await newTenant(gateway, ROOMY));
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers.get('x-spillway-attempts'), '2');
});
