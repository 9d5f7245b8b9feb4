// What calls cost, to the nano-dollar. Every expected number is written out with its arithmetic; nothing of the program
// computes it. The header, the caller's usage, the operator's usage, the budget and the stored record must all say it.
//
// Prices in nano-dollars per token, as the pinned list of prices has them:
//   claude-sonnet-4-5   input 3000  output 15000  cache read 300  write 3750  write for an hour 6000
//     above 200,000     input 6000  output 22500  cache read 600  write 7500  write for an hour 12000
//   gpt-4o              input 2500  output 10000  cache read 1250
//   gemini-2.5-pro      input 1250  output 10000  cache read 125
//     above 200,000     input 2500  output 15000  cache read 250
//   text-embedding-3-small 20, gemini-embedding-001 150, claude-haiku-4 250 / 1250

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, before, suite, test } from 'node:test';
import {
  type Answer,
  administer,
  ask,
  errorOf,
  newTenant,
  type Place,
} from '../support/call-rig.ts';
import { SINGLE_TRIES, startTestGateway, type TestGateway } from '../support/test-gateway.ts';

type Format = 'anthropic' | 'openai' | 'gemini';

/** What the stored record says of an attempt. */
type Stored = {
  readonly status: string;
  readonly streamed: number;
  readonly estimated: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly cache_write_1h_tokens: number;
  readonly reasoning_tokens: number;
  readonly cost_nanos: number;
};

const NOTHING: Stored = {
  status: 'OK',
  streamed: 0,
  estimated: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  reasoning_tokens: 0,
  cost_nanos: 0,
};

type Case = {
  readonly name: string;
  readonly format: Format;
  readonly scenario: object;
  readonly expected: Partial<Stored>;
  /** Whole and streamed calls cost the same; those of `stream` are only streamed. */
  readonly ways?: readonly boolean[];
};

const BOTH = [false, true];
const STREAM = [true];

/** Every body is exactly so long, so that what is estimated from it is 400 ÷ 4 = 100 tokens. */
const BODY_BYTES = 400;

/** Ten pieces of 40 bytes are 100 tokens; where a stream ends after five, 200 ÷ 4 = 50 tokens were sent. */
const PIECES = { text: '~'.repeat(400), chunkBytes: 40 };
const HALF_OF_IT = { ...PIECES, afterChunks: 5, chunkDelayMs: 5 };

const CASES: readonly Case[] = [
  {
    name: 'plain tokens',
    format: 'anthropic',
    scenario: { usage: { inputTokens: 1000, outputTokens: 200 } },
    // 1000 × 3000 + 200 × 15000 = 3,000,000 + 3,000,000
    expected: { input_tokens: 1000, output_tokens: 200, cost_nanos: 6_000_000 },
    ways: BOTH,
  },
  {
    name: 'cache read, written for five minutes and for an hour',
    format: 'anthropic',
    scenario: {
      usage: {
        inputTokens: 10_000,
        cacheReadTokens: 6000,
        cacheWriteTokens: 3000,
        cacheWrite1hTokens: 1000,
        outputTokens: 100,
      },
    },
    // 1000 × 3000 + 6000 × 300 + 2000 × 3750 + 1000 × 6000 + 100 × 15000
    // = 3,000,000 + 1,800,000 + 7,500,000 + 6,000,000 + 1,500,000
    expected: {
      input_tokens: 1000,
      cache_read_tokens: 6000,
      cache_write_tokens: 2000,
      cache_write_1h_tokens: 1000,
      output_tokens: 100,
      cost_nanos: 19_800_000,
    },
    ways: BOTH,
  },
  {
    name: 'a long context, to which the cached part counts',
    format: 'anthropic',
    scenario: { usage: { inputTokens: 200_001, cacheReadTokens: 100_000, outputTokens: 10 } },
    // 100,001 × 6000 + 100,000 × 600 + 10 × 22500 = 600,006,000 + 60,000,000 + 225,000
    expected: {
      input_tokens: 100_001,
      cache_read_tokens: 100_000,
      output_tokens: 10,
      cost_nanos: 660_231_000,
    },
    ways: BOTH,
  },
  {
    name: 'one token less than a long context',
    format: 'anthropic',
    scenario: { usage: { inputTokens: 200_000, cacheReadTokens: 100_000, outputTokens: 10 } },
    // 100,000 × 3000 + 100,000 × 300 + 10 × 15000 = 300,000,000 + 30,000,000 + 150,000
    expected: {
      input_tokens: 100_000,
      cache_read_tokens: 100_000,
      output_tokens: 10,
      cost_nanos: 330_150_000,
    },
    ways: BOTH,
  },
  {
    name: 'cached input and reasoning',
    format: 'openai',
    scenario: {
      usage: { inputTokens: 1000, cacheReadTokens: 400, outputTokens: 300, thinkingTokens: 100 },
    },
    // 600 × 2500 + 400 × 1250 + 300 × 10000, reasoning being a part of the 300
    // = 1,500,000 + 500,000 + 3,000,000
    expected: {
      input_tokens: 600,
      cache_read_tokens: 400,
      output_tokens: 300,
      reasoning_tokens: 100,
      cost_nanos: 5_000_000,
    },
    ways: BOTH,
  },
  {
    name: 'cached input and thoughts, which come on top of the answer',
    format: 'gemini',
    scenario: {
      usage: { inputTokens: 1000, cacheReadTokens: 400, outputTokens: 300, thinkingTokens: 100 },
    },
    // 600 × 1250 + 400 × 125 + (200 + 100) × 10000 = 750,000 + 50,000 + 3,000,000
    expected: {
      input_tokens: 600,
      cache_read_tokens: 400,
      output_tokens: 300,
      reasoning_tokens: 100,
      cost_nanos: 3_800_000,
    },
    ways: BOTH,
  },
  {
    name: 'a long context',
    format: 'gemini',
    scenario: { usage: { inputTokens: 300_000, cacheReadTokens: 100_000, outputTokens: 1000 } },
    // 200,000 × 2500 + 100,000 × 250 + 1000 × 15000 = 500,000,000 + 25,000,000 + 15,000,000
    expected: {
      input_tokens: 200_000,
      cache_read_tokens: 100_000,
      output_tokens: 1000,
      cost_nanos: 540_000_000,
    },
    ways: BOTH,
  },
  {
    name: 'cut in the middle: the input was told, the output is what came',
    format: 'anthropic',
    scenario: { ...HALF_OF_IT, fault: 'cut', usage: { inputTokens: 1000, outputTokens: 100 } },
    // 1000 × 3000 + 50 × 15000 = 3,000,000 + 750,000
    expected: {
      status: 'NETWORK_TIMEOUT',
      estimated: 1,
      input_tokens: 1000,
      output_tokens: 50,
      cost_nanos: 3_750_000,
    },
    ways: STREAM,
  },
  {
    name: 'cut in the middle: nothing was told, both are estimated',
    format: 'openai',
    scenario: { ...HALF_OF_IT, fault: 'cut', usage: { inputTokens: 1000, outputTokens: 100 } },
    // 100 × 2500 + 50 × 10000 = 250,000 + 500,000
    expected: {
      status: 'NETWORK_TIMEOUT',
      estimated: 1,
      input_tokens: 100,
      output_tokens: 50,
      cost_nanos: 750_000,
    },
    ways: STREAM,
  },
  {
    name: 'cut in the middle: the input was told, the output is what came',
    format: 'gemini',
    scenario: { ...HALF_OF_IT, fault: 'cut', usage: { inputTokens: 1000, outputTokens: 100 } },
    // 1000 × 1250 + 50 × 10000 = 1,250,000 + 500,000
    expected: {
      status: 'NETWORK_TIMEOUT',
      estimated: 1,
      input_tokens: 1000,
      output_tokens: 50,
      cost_nanos: 1_750_000,
    },
    ways: STREAM,
  },
  ...(['anthropic', 'openai', 'gemini'] as const).map((format) => ({
    name: 'a call that the provider failed costs nothing',
    format,
    scenario: { preset: 'server-error' },
    expected: { status: 'PROVIDER_UNAVAILABLE' },
    ways: BOTH,
  })),
];

const ENDPOINTS: Readonly<
  Record<Format, { path(isStream: boolean): string; body(isStream: boolean, fill: string): object }>
> = {
  anthropic: {
    path: () => '/v1/messages',
    body: (stream, content) => ({
      model: 'claude-sonnet-4-5',
      max_tokens: 1000,
      stream,
      messages: [{ role: 'user', content }],
    }),
  },
  openai: {
    path: () => '/v1/chat/completions',
    body: (stream, content) => ({
      model: 'gpt-4o',
      max_tokens: 1000,
      stream,
      ...(stream ? { stream_options: { include_usage: true } } : {}),
      messages: [{ role: 'user', content }],
    }),
  },
  gemini: {
    path: (isStream) =>
      `/v1beta/models/gemini-2.5-pro:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (_, text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
};

function bodyOf(format: Format, isStream: boolean): string {
  const bare = JSON.stringify(ENDPOINTS[format].body(isStream, '')).length;
  return JSON.stringify(ENDPOINTS[format].body(isStream, 'y'.repeat(BODY_BYTES - bare)));
}

let gateway: TestGateway;
let records: DatabaseSync;

suite('what calls cost', () => {
  before(async () => {
    gateway = await startTestGateway();
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
    test(`${format}: a caller who leaves in the middle pays for what was sent until then`, async () => {
      const usage = { inputTokens: 1000, outputTokens: 100 };
      gateway.simulator.setScenario({ ...HALF_OF_IT, fault: 'stall', usage });
      const tenant = await newTenant(gateway);
      await leaveAfter(tenant, format, 200);
      const expected = { status: 'CLIENT_GONE', streamed: 1, estimated: 1, ...estimate };
      await assertCost(tenant, undefined, { ...NOTHING, ...expected });
    });

  test('openai: a stream that was not asked for its usage is charged by estimate, and says so', async () => {
    gateway.simulator.setScenario({ ...PIECES, usage: { inputTokens: 1000, outputTokens: 300 } });
    const tenant = await newTenant(gateway);
    const bare = { model: 'gpt-4o', stream: true, messages: messagesOf('') };
    const fill = 'y'.repeat(BODY_BYTES - JSON.stringify(bare).length);
    const body = JSON.stringify({ ...bare, messages: messagesOf(fill) });
    const answer = await ask(tenant, { path: '/v1/chat/completions', body });
    // 100 × 2500 + 100 × 10000 = 250,000 + 1,000,000
    const counts = { input_tokens: 100, output_tokens: 100, cost_nanos: 1_250_000 };
    await assertCost(tenant, answer, { ...NOTHING, streamed: 1, estimated: 1, ...counts });
  });

  test('embeddings are charged by their input alone', async () => {
    const small = await newTenant(gateway);
    // 'abcdefgh' are 2 tokens and 'abcd' is 1 as the simulator counts, so 3 × 20
    const body = { model: 'text-embedding-3-small', input: ['abcdefgh', 'abcd'] };
    const answer = await ask(small, { path: '/v1/embeddings', body });
    await assertCost(small, answer, { ...NOTHING, input_tokens: 3, cost_nanos: 60 });
  });

  test('counting tokens costs nothing, and is recorded', async () => {
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

  test('a model that only the built-in list prices is charged by it', async () => {
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

  test('a model that nobody knows the price of is refused before anything is sent', async () => {
    gateway.simulator.clearLog();
    const tenant = await newTenant(gateway);
    for (const path of ['/v1/chat/completions', '/v1/responses']) {
      const body = { model: 'gpt-unheard-of', messages: messagesOf('Hello'), input: 'Hello' };
      const answer = await ask(tenant, { path, body });
      assert.equal(answer.status, 400, answer.text);
      const { code, params } = errorOf(answer);
      assert.deepEqual([code, params['field']], ['INVALID_REQUEST', 'model']);
    }
    assert.deepEqual(gateway.simulator.log(), []);
  });
});

test('a model that nobody knows is charged the price that was set for such', async (context) => {
  gateway = await startTestGateway(
    {},
    () => `${SINGLE_TRIES}prices: { fallback: { inputUsd: 7, outputUsd: 70, cacheReadUsd: 0.7 } }`,
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

/** All that tells a cost tells this one. */
async function assertCost(
  tenant: Place & { readonly organizationId: string },
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

/** The organisation's one record, as soon as the store has it. */
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

/** Reads so many bytes of content and hangs up. */
async function leaveAfter({ url, apiKey }: Place, format: Format, bytes: number): Promise<void> {
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
