// The cost of calls, to the nanodollar. Every expected number is written out with its arithmetic; none is computed by the
// program under test. The header, the usage of caller and operator, the budget and the stored record must agree. The cases
// are in cost-cases.ts.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, before, suite, test } from 'node:test';
import {
  type Answer,
  administer,
  ask,
  type Caller,
  errorOf,
  newTenant,
} from '../../support/gateway/call-rig.ts';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';
import {
  BOTH,
  bodyOf,
  CASES,
  ENDPOINTS,
  type Format,
  HALF_OF_IT,
  NOTHING,
  PIECES,
  type Stored,
} from './cost-cases.ts';

let gateway: TestGateway;
let records: DatabaseSync;

suite('the cost of calls', () => {
  before(async () => {
    gateway = await startTestGateway({}, () => `${SINGLE_ATTEMPTS}timeouts: { usageMs: 1000 }\n`);
    records = new DatabaseSync(join(gateway.dataDir, 'spillway.db'), { readOnly: true });
  });
  afterEach(() => gateway.simulator.resetScenario());
  after(async () => {
    records.close();
    await gateway.close();
  });

  for (const { name, format, scenario, expected, ways = BOTH } of CASES)
    for (const isStream of ways)
      test(`${format}, ${isStream ? 'streamed' : 'whole'}: ${name}`, async () => {
        gateway.simulator.setScenario(scenario);
        const tenant = await newTenant(gateway, { monthlyBudgetUsd: 100 });
        const path = ENDPOINTS[format].path(isStream);
        const answer = await ask(tenant, { path, body: bodyOf(format, isStream) });
        const streamed = isStream ? 1 : 0;
        await assertCost(tenant, answer, { ...NOTHING, streamed, ...expected });
      });

  for (const [format, estimate] of [
    // 1000 × 3000 + 50 × 15000
    ['anthropic', { input_tokens: 1000, output_tokens: 50, cost_nanos: 3_750_000 }],
    // 100 × 2500 + 50 × 10000
    ['openai', { input_tokens: 100, output_tokens: 50, cost_nanos: 750_000 }],
    // 1000 × 1250 + 50 × 10000
    ['gemini', { input_tokens: 1000, output_tokens: 50, cost_nanos: 1_750_000 }],
  ] as const)
    test(`${format}: a disconnected caller pays for the output so far`, async () => {
      const usage = { inputTokens: 1000, outputTokens: 100 };
      gateway.simulator.setScenario({ ...HALF_OF_IT, fault: 'stall', usage });
      const tenant = await newTenant(gateway);
      await leaveAfter(tenant, format, 200);
      const expected = { status: 'CLIENT_GONE', streamed: 1, estimated: 1, ...estimate };
      await assertCost(tenant, undefined, { ...NOTHING, ...expected });
    });

  for (const [format, cost_nanos] of [
    // The reservation: 400 bytes of input at 3750 (written to a cache), and 1000 tokens of output at 15000
    ['anthropic', 16_500_000],
    // 400 × 2500 + 1000 × 10000
    ['openai', 11_000_000],
    // 400 × 1250 + 65,536 × 10000: the model's own maximum, because the request states none
    ['gemini', 655_860_000],
  ] as const)
    test(`${format}: a caller that disconnects in a unary call pays the reservation`, async () => {
      gateway.simulator.clearLog();
      gateway.simulator.setScenario({ preset: 'hang' });
      const tenant = await newTenant(gateway);
      const leaving = new AbortController();
      const path = ENDPOINTS[format].path(false);
      const body = bodyOf(format, false);
      const left = ask(tenant, { path, body, signal: leaving.signal }).catch(() => 'left');
      await gateway.simulator.waitFor((entry) => entry.outcome === 'hung');
      leaving.abort();
      assert.equal(await left, 'left');
      const expected = { status: 'CLIENT_GONE', estimated: 1, input_tokens: 100, cost_nanos };
      await assertCost(tenant, undefined, { ...NOTHING, ...expected });
    });

  for (const [format, expected] of [
    ['anthropic', { input_tokens: 1000, output_tokens: 100, cost_nanos: 4_500_000 }],
    ['openai', { input_tokens: 1000, output_tokens: 100, cost_nanos: 3_500_000 }],
    ['gemini', { input_tokens: 1000, output_tokens: 100, cost_nanos: 2_250_000 }],
  ] as const)
    test(`${format}: a caller that disconnects shortly before the end pays the reported usage`, async () => {
      const usage = { inputTokens: 1000, outputTokens: 100 };
      gateway.simulator.setScenario({ ...PIECES, chunkDelayMs: 10, usage });
      const tenant = await newTenant(gateway);
      await leaveAfter(tenant, format, 80);
      const ending = { status: 'CLIENT_GONE', streamed: 1, estimated: 0 };
      await assertCost(tenant, undefined, { ...NOTHING, ...ending, ...expected });
    });

  for (const [isStream, expected] of [
    [true, { estimated: 0, input_tokens: 1000, output_tokens: 100, cost_nanos: 4_500_000 }],
    // 400 × 3750 + 1000 × 15000, as reserved
    [false, { estimated: 1, input_tokens: 100, output_tokens: 0, cost_nanos: 16_500_000 }],
  ] as const)
    test(`a deadline that passes during a ${isStream ? 'streamed' : 'unary'} call is charged`, async () => {
      const usage = { inputTokens: 1000, outputTokens: 100 };
      const pace = isStream ? { chunkDelayMs: 80 } : { latencyMs: 2000 };
      gateway.simulator.setScenario({ ...PIECES, ...pace, usage });
      const tenant = await newTenant(gateway);
      const answer = await ask(tenant, {
        body: bodyOf('anthropic', isStream),
        headers: { 'x-request-deadline-ms': '150' },
      });
      assert.match(answer.text, /NETWORK_TIMEOUT/);
      const ending = { status: 'NETWORK_TIMEOUT', streamed: Number(isStream) };
      await assertCost(tenant, answer, { ...NOTHING, ...ending, ...expected });
    });

  test('openai: a stream without requested usage is charged by its usage', async () => {
    gateway.simulator.setScenario({ ...PIECES, usage: { inputTokens: 1000, outputTokens: 300 } });
    const tenant = await newTenant(gateway);
    const body = { model: 'gpt-4o', stream: true, messages: messagesOf('Hello') };
    const answer = await ask(tenant, { path: '/v1/chat/completions', body });
    assert.ok(answer.text.endsWith('data: [DONE]\n\n'));
    assert.ok(!answer.text.includes('prompt_tokens') && !answer.text.includes('"choices":[]'));
    // 1000 × 2500 + 300 × 10000 = 2,500,000 + 3,000,000
    const counts = { input_tokens: 1000, output_tokens: 300, cost_nanos: 5_500_000 };
    await assertCost(tenant, answer, { ...NOTHING, streamed: 1, ...counts });
  });

  test('embeddings are charged by their input alone', async () => {
    const small = await newTenant(gateway);
    // 'abcdefgh' are 2 tokens and 'abcd' is 1 as the simulator counts, so 3 × 20
    const body = { model: 'text-embedding-3-small', input: ['abcdefgh', 'abcd'] };
    const answer = await ask(small, { path: '/v1/embeddings', body });
    await assertCost(small, answer, { ...NOTHING, input_tokens: 3, cost_nanos: 60 });
    const large = await newTenant(gateway);
    const content = { parts: [{ text: 'abcdefgh' }] };
    const path = '/v1beta/models/gemini-embedding-001:embedContent';
    const embedded = await ask(large, { path, body: { content } });
    // 2 × 150; vectors in the answer are not output tokens.
    await assertCost(large, embedded, { ...NOTHING, input_tokens: 2, cost_nanos: 300 });
  });

  test('counting tokens is free and recorded', async () => {
    for (const [path, body] of [
      ['/v1/messages/count_tokens', bodyOf('anthropic', false)],
      ['/v1beta/models/gemini-2.5-pro:countTokens', bodyOf('gemini', false)],
    ] as const) {
      const tenant = await newTenant(gateway);
      const answer = await ask(tenant, { path, body });
      assert.equal(answer.status, 200, answer.text);
      const { status, cost_nanos, input_tokens } = await recordOf(tenant);
      assert.deepEqual([status, cost_nanos, input_tokens], ['OK', 0, 0]);
    }
  });

  test('a model with only a built-in price is charged by it', async () => {
    gateway.simulator.setScenario({ usage: { inputTokens: 1001, outputTokens: 3 } });
    const tenant = await newTenant(gateway);
    const body = { model: 'claude-haiku-4', max_tokens: 5, messages: [] };
    const answer = await ask(tenant, { body: { ...body, messages: messagesOf('Hello') } });
    // 1001 × 250 + 3 × 1250 = 250,250 + 3750
    await assertCost(tenant, answer, {
      ...NOTHING,
      input_tokens: 1001,
      output_tokens: 3,
      cost_nanos: 254_000,
    });
  });

  test('a model without a price is refused before a call is sent', async () => {
    gateway.simulator.clearLog();
    const tenant = await newTenant(gateway);
    for (const path of ['/v1/chat/completions', '/v1/responses']) {
      const body = { model: 'gpt-unheard-of', messages: messagesOf('Hello'), input: 'Hello' };
      const answer = await ask(tenant, { path, body });
      assert.equal(answer.status, 404, answer.text);
      const { code, params } = errorOf(answer);
      const found = [code, params['field'], params['problem']];
      assert.deepEqual(found, ['INVALID_REQUEST', 'model', 'unpriced_model']);
    }
    assert.deepEqual(gateway.simulator.log(), []);
  });
});

test('an unknown model is charged the configured default price', async (context) => {
  gateway = await startTestGateway(
    {},
    () =>
      `${SINGLE_ATTEMPTS}prices: { fallback: { inputUsd: 7, outputUsd: 70, cacheReadUsd: 0.7 } }`,
  );
  records = new DatabaseSync(join(gateway.dataDir, 'spillway.db'), { readOnly: true });
  context.after(async () => {
    records.close();
    await gateway.close();
  });
  gateway.simulator.setScenario({
    usage: { inputTokens: 100, cacheReadTokens: 40, outputTokens: 10 },
  });
  const tenant = await newTenant(gateway);
  const body = { model: 'gpt-unheard-of', messages: messagesOf('Hello') };
  const answer = await ask(tenant, { path: '/v1/chat/completions', body });
  // 60 × 7000 + 40 × 700 + 10 × 70000 = 420,000 + 28,000 + 700,000
  await assertCost(tenant, answer, {
    ...NOTHING,
    input_tokens: 60,
    cache_read_tokens: 40,
    output_tokens: 10,
    cost_nanos: 1_148_000,
  });
});

/** Every place that reports a cost reports this one. */
async function assertCost(
  tenant: Caller & { readonly organizationId: string },
  answer: Answer | undefined,
  expected: Stored,
): Promise<void> {
  assert.deepEqual(await recordOf(tenant), expected);
  const costUsd = expected.cost_nanos / 1e9;
  if (answer?.status === 200 && expected.streamed === 0)
    assert.equal(Number(answer.headers.get('x-spillway-cost-usd')), costUsd);
  const headers = { 'x-api-key': tenant.apiKey };
  const own = await fetch(`${tenant.url}/v1/usage`, { headers });
  const path = `/admin/usage?org=${tenant.organizationId}&groupBy=provider`;
  const told = await administer(gateway, 'GET', path);
  for (const { total } of [await own.json(), told] as readonly { total: unknown }[])
    assert.deepEqual(total, {
      attempts: 1,
      failures: ['OK', 'CLIENT_GONE'].includes(expected.status) ? 0 : 1,
      inputTokens: expected.input_tokens,
      outputTokens: expected.output_tokens,
      cacheReadTokens: expected.cache_read_tokens,
      cacheWriteTokens: expected.cache_write_tokens + expected.cache_write_1h_tokens,
      costUsd,
    });
  const budget = await fetch(`${tenant.url}/v1/budget`, { headers });
  const { spentUsd, heldUsd } = (await budget.json()) as Record<string, unknown>;
  assert.deepEqual([spentUsd, heldUsd], [costUsd, 0]);
}

/** Resolves with the organisation's only record once the store has it. */
async function recordOf({ organizationId }: { readonly organizationId: string }): Promise<Stored> {
  const columns = Object.keys(NOTHING).join(', ');
  const find = records.prepare(`select ${columns} from usage_records where organization_id = ?`);
  const deadline = AbortSignal.timeout(30_000);
  for (;;) {
    deadline.throwIfAborted();
    const rows = find.all(organizationId);
    assert.ok(rows.length < 2, 'an attempt has one record');
    if (rows[0]) return { ...(rows[0] as Stored) };
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Reads a number of bytes of content, then disconnects. */
async function leaveAfter({ url, apiKey }: Caller, format: Format, bytes: number): Promise<void> {
  const leaving = new AbortController();
  const response = await fetch(url + ENDPOINTS[format].path(true), {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: bodyOf(format, true),
    signal: leaving.signal,
  });
  let seen = 0;
  for await (const chunk of response.body ?? []) {
    for (const byte of chunk) if (byte === TILDE) seen += 1;
    if (seen >= bytes) break;
  }
  leaving.abort();
}

const TILDE = '~'.charCodeAt(0);

function messagesOf(content: string): readonly object[] {
  return [{ role: 'user', content }];
}
