// Alternatives to an immediate answer: the request as a job with the endpoint's answer as its result, or the
// caller's own last good answer, marked with its age.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, suite, test } from 'node:test';
import {
  type Answer,
  type Ask,
  administer,
  ask,
  type Caller,
  CLAUDE,
  chatAsk,
  errorOf,
  GPT,
  messageBody,
  newTenant,
} from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const LATER = { prefer: 'respond-async' };
const CONTENTS = [{ role: 'user', parts: [{ text: 'Hello' }] }];
const GEMINI = '/v1beta/models/gemini-2.5-flash';

const ENDPOINTS: readonly Ask[] = [
  { path: '/v1/messages', body: messageBody() },
  { path: '/v1/messages/count_tokens', body: { ...messageBody(), max_tokens: undefined } },
  {
    path: '/v1/chat/completions',
    body: { model: GPT, messages: [{ role: 'user', content: 'Hi' }] },
  },
  { path: '/v1/responses', body: { model: GPT, input: 'Hello' } },
  { path: '/v1/embeddings', body: { model: 'text-embedding-3-small', input: ['one', 'two'] } },
  { path: `${GEMINI}:generateContent`, body: { contents: CONTENTS } },
  { path: `${GEMINI}:countTokens`, body: { contents: CONTENTS } },
];

const FILE = () => `
aliases:
  any: { targets: [anthropic/${CLAUDE}, openai/${GPT}] }
retry: { throttledRetries: 0, overloadedRetries: 0, errorRetries: 0, networkRetries: 0, maxInteractiveWaitMs: 0 }
breaker: { failures: 1000000 }
`;

type Receipt = { readonly id: string; readonly status: string; readonly position?: number };
type JobView = { readonly status: string; readonly response: unknown; readonly model: string };

let gateway: TestGateway;

function receiptOf({ status, text, headers }: Answer): Receipt {
  assert.equal(status, 202, text);
  const receipt = JSON.parse(text) as Receipt;
  assert.equal(headers.get('location'), `/v1/jobs/${receipt.id}`);
  assert.equal(headers.get('preference-applied'), 'respond-async');
  assert.match(headers.get('x-request-id') ?? '', /^req_/);
  assert.match(headers.get('x-spillway-served-by') ?? '', /./);
  assert.equal(headers.get('x-spillway-attempts'), '0');
  return receipt;
}

async function finished({ url, apiKey }: Caller, id: string): Promise<JobView> {
  const signal = AbortSignal.timeout(20_000);
  for (;;) {
    const answer = await fetch(`${url}/v1/jobs/${id}`, {
      headers: { 'x-api-key': apiKey },
      signal,
    });
    const job = (await answer.json()) as JobView;
    if (!['queued', 'running', 'delayed'].includes(job.status)) return job;
  }
}

/** Without the fields that differ between answers. */
function withoutVolatileFields(text: string): unknown {
  return JSON.parse(text, (name, value: unknown) =>
    /^(id|created|created_at|completed_at|responseId)$/.test(name) ? undefined : value,
  );
}

suite('a caller that accepts a deferred answer', () => {
  before(async () => {
    gateway = await startTestGateway({}, FILE);
  });
  afterEach(() => gateway.simulator.resetScenario());
  after(() => gateway.close());

  for (const asked of ENDPOINTS) {
    test(`${asked.path}: the job's result equals the endpoint's answer`, async () => {
      const now = await ask(gateway, asked);
      assert.equal(now.status, 200, now.text);
      const { id } = receiptOf(await ask(gateway, { ...asked, headers: LATER }));
      const { status, response } = await finished(gateway, id);
      assert.equal(status, 'succeeded');
      assert.deepEqual(
        withoutVolatileFields(JSON.stringify(response)),
        withoutVolatileFields(now.text),
      );
    });
  }

  test('a streaming request is answered unary', async () => {
    const whole = await ask(gateway, {
      path: `${GEMINI}:generateContent`,
      body: { contents: CONTENTS },
    });
    for (const [asked, expected] of [
      [{ path: `${GEMINI}:streamGenerateContent?alt=sse`, body: { contents: CONTENTS } }, whole],
      [{ stream: true }, await ask(gateway)],
      [chatAsk({ stream: true }), await ask(gateway, chatAsk())],
    ] as const) {
      const { id } = receiptOf(await ask(gateway, { ...asked, headers: LATER }));
      const { response } = await finished(gateway, id);
      assert.deepEqual(
        withoutVolatileFields(JSON.stringify(response)),
        withoutVolatileFields(expected.text),
      );
    }
  });

  test('a job resolves an alias', async () => {
    const { id } = receiptOf(await ask(gateway, { model: 'any', headers: LATER }));
    const { status, model } = await finished(gateway, id);
    assert.deepEqual([status, model], ['succeeded', CLAUDE]);
  });

  test('is accepted while the provider is limited, with the expected time', async () => {
    gateway.simulator.setScenario({ provider: 'anthropic', preset: 'usage-limit' });
    assert.equal((await ask(gateway)).status, 429);
    const calls = gateway.simulator.log().length;
    const headers = { prefer: 'wait=5, respond-async;x=1' };
    const { status } = receiptOf(await ask(gateway, { headers }));
    assert.ok(status === 'queued' || status === 'delayed');
    assert.equal(gateway.simulator.log().length, calls);
    const { data } = await administer(gateway, 'GET', '/admin/limits');
    for (const { provider, region } of data as Record<string, string>[])
      await administer(gateway, 'DELETE', `/admin/limits/${provider}/${region}`);
  });

  test('gets an invalid request rejected immediately, not through a failed job', async () => {
    const calls = gateway.simulator.log().length;
    for (const [body, status] of [
      ['{', 400],
      ['{"model":"claude-sonnet-5-5","messages":[tru]}', 400],
      [{ messages: [] }, 400],
      [messageBody({ model: 'nobody-serves-this' }), 404],
    ] as const) {
      const answer = await ask(gateway, { body, headers: LATER });
      assert.deepEqual([answer.status, errorOf(answer).code], [status, 'INVALID_REQUEST']);
    }
    assert.equal(gateway.simulator.log().length, calls);
  });

  test('needs a key with the scope for jobs and access to the model', async () => {
    for (const key of [{ scopes: ['call'] }, { models: ['gpt-*'] }]) {
      const answer = await ask(await newTenant(gateway, {}, key), { headers: LATER });
      assert.deepEqual([answer.status, errorOf(answer).code], [403, 'FORBIDDEN']);
    }
  });

  test("consumes the organisation's limit when it submits", async () => {
    const tenant = await newTenant(gateway, { requestsPerMinute: 2 });
    const statuses = [];
    for (let turn = 0; turn < 3; turn += 1)
      statuses.push((await ask(tenant, { headers: LATER })).status);
    assert.deepEqual(statuses, [202, 202, 429]);
  });

  test('gets one job per idempotency key, however often it submits', async () => {
    const headers = { ...LATER, 'idempotency-key': randomUUID() };
    const first = await ask(gateway, { headers });
    const second = await ask(gateway, { headers });
    assert.equal(receiptOf(second).id, receiptOf(first).id);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal((await ask(gateway, { headers, stream: true })).status, 422);
  });

  test("does not find another organisation's job", async () => {
    const { id } = receiptOf(await ask(gateway, { headers: LATER }));
    const stranger = await newTenant(gateway);
    const answer = await fetch(`${gateway.url}/v1/jobs/${id}`, {
      headers: { 'x-api-key': stranger.apiKey },
    });
    assert.equal(answer.status, 404);
  });
});

suite('a caller that accepts a stale answer', () => {
  const STALE = { headers: { 'x-spillway-degrade': 'stale' } };
  let tenant: Caller;
  before(async () => {
    gateway = await startTestGateway();
    tenant = await newTenant(gateway, { allowStale: true });
  });
  afterEach(() => gateway.simulator.resetScenario());
  after(() => gateway.close());

  let prompts = 0;
  function fresh(stream = false): Ask {
    prompts += 1;
    const messages = [{ role: 'user', content: `question ${prompts}` }];
    return { body: { model: CLAUDE, max_tokens: 50, messages, stream }, ...STALE };
  }

  for (const isStream of [false, true]) {
    test(`gets its own last good ${isStream ? 'stream' : 'answer'}, marked with its age`, async () => {
      const asked = fresh(isStream);
      const good = await ask(tenant, asked);
      assert.equal(good.headers.get('x-spillway-degraded'), null);
      for (const preset of ['server-error', 'overloaded', 'reset', 'rate-limit-no-delay']) {
        gateway.simulator.setScenario({ preset });
        const stale = await ask(tenant, asked);
        assert.equal(stale.status, 200, `${preset}: ${stale.text}`);
        assert.equal(stale.text, good.text);
        assert.match(stale.headers.get('x-spillway-degraded') ?? '', /^stale; age=\d+$/);
        assert.equal(stale.headers.get('content-type'), good.headers.get('content-type'));
        assert.notEqual(stale.headers.get('x-request-id'), good.headers.get('x-request-id'));
        assert.equal(
          stale.headers.get('x-spillway-served-by'),
          good.headers.get('x-spillway-served-by'),
        );
        assert.match(stale.headers.get('x-ratelimit-reset-requests') ?? '', /^\d+\.\d{3}s$/);
      }
    });
  }

  test('gets an answer stored before it opted in', async () => {
    const { body, headers } = fresh();
    const good = await ask(tenant, { body });
    gateway.simulator.setScenario({ preset: 'server-error' });
    assert.equal((await ask(tenant, { body, headers })).text, good.text);
  });

  test('gets none for another question, without opting in, or from another organisation', async () => {
    const asked = fresh();
    const other = await newTenant(gateway, { allowStale: true });
    const forbidden = await newTenant(gateway);
    for (const place of [tenant, forbidden]) assert.equal((await ask(place, asked)).status, 200);
    gateway.simulator.setScenario({ preset: 'server-error' });
    for (const [place, question] of [
      [tenant, fresh()],
      [tenant, { body: asked.body }],
      [other, asked],
      [forbidden, asked],
    ] as const) {
      const answer = await ask(place, question);
      assert.deepEqual([answer.status, answer.headers.get('x-spillway-degraded')], [503, null]);
    }
  });

  test('gets its own mistakes, limits and exhausted budget as errors', async () => {
    const bound = await newTenant(gateway, { allowStale: true, requestsPerMinute: 2 });
    const asked = fresh();
    assert.equal((await ask(bound, asked)).status, 200);
    gateway.simulator.setScenario({ preset: 'invalid-request' });
    assert.equal((await ask(bound, asked)).status, 400);
    assert.equal((await ask(bound, asked)).status, 429);
    const poor = await newTenant(gateway, { allowStale: true });
    gateway.simulator.resetScenario();
    assert.equal((await ask(poor, asked)).status, 200);
    const path = `/admin/orgs/${poor.organizationId}`;
    await administer(gateway, 'PATCH', path, { monthlyBudgetUsd: 0 });
    assert.equal((await ask(poor, asked)).status, 402);
  });

  test('gets no answer past its limits and its budget by a deadline that has passed', async () => {
    const asked = fresh();
    assert.equal((await ask(tenant, asked)).status, 200);
    const headers = { ...asked.headers, 'x-request-deadline-ms': String(Date.now() - 1000) };
    const late = await ask(tenant, { ...asked, headers });
    assert.deepEqual([late.status, late.headers.get('x-spillway-degraded')], [504, null]);
  });

  test('gets the stale answer during a known limit, without a provider call', async () => {
    const asked = fresh();
    const good = await ask(tenant, asked);
    gateway.simulator.setScenario({ preset: 'usage-limit' });
    assert.equal((await ask(tenant, fresh())).status, 429);
    const calls = gateway.simulator.log().length;
    assert.equal((await ask(tenant, asked)).text, good.text);
    assert.equal(gateway.simulator.log().length, calls);
  });
});
