// The limits and the budget of an organisation, the limits of a provider account and the slots of this server. A refusal is
// exact, consumes nothing and does not affect other callers. Checked by answers, usage and the simulator's truth log.

import assert from 'node:assert/strict';
import { afterEach, suite, test } from 'node:test';
import { mostWithin } from '../../../src/simulator/scenario/peak-window.ts';
import {
  type Answer,
  type Ask,
  administer,
  ask,
  type Caller,
  CLAUDE,
  chatAsk,
  errorOf,
  messageBody,
  newTenant,
  remainingRequests,
  usageOf,
} from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const MINUTE_MS = 60_000;

let gateway: TestGateway;

async function crowd(place: Caller, size: number, asked: Ask = {}) {
  const answers = await Promise.all(Array.from({ length: size }, () => ask(place, asked)));
  const served = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status !== 200);
  return { served: served.length, refused };
}

function assertThrottled(answers: readonly Answer[], scope: string): void {
  for (const answer of answers) {
    assert.equal(answer.status, 429, answer.text);
    const { code, params } = errorOf(answer);
    assert.deepEqual([code, params['scope']], ['RATE_LIMITED', scope]);
    // Only a provider's limit is reported as capacity, not the organisation's own.
    const type = answer.headers.get('x-rate-limit-type');
    assert.equal(type, scope === 'organization' ? null : 'ai-capacity');
  }
}

suite("an organisation's limits", () => {
  afterEach(() => gateway.close());

  test('a request above the limit of the minute is refused, with the time at which the next one fits', async () => {
    gateway = await startTestGateway();
    const tenant = await newTenant(gateway);
    const startedAt = Date.now();
    const { served, refused } = await crowd(tenant, 101);
    assert.deepEqual([served, refused.length], [100, 1]);
    assertThrottled(refused, 'organization');
    const [answer] = refused;
    assert.ok(answer);
    const waitMs = Number(errorOf(answer).retryAfterMs);
    assert.ok(waitMs <= MINUTE_MS && waitMs >= MINUTE_MS - (Date.now() - startedAt), `${waitMs}`);
    assert.equal(answer.headers.get('retry-after-ms'), String(waitMs));
    assert.equal(remainingRequests(answer), 0);
    assert.equal(answer.headers.get('x-ratelimit-limit-requests'), '100');
    assert.match(answer.headers.get('x-ratelimit-reset-requests') ?? '', /^\d+(\.\d{1,3})?s$/);
    assert.equal(gateway.simulator.log().length, 100);
    assert.equal((await usageOf(tenant, 100)).attempts, 100);
  });

  test('tokens are reserved before a call and settled with its usage', async () => {
    gateway = await startTestGateway();
    const tenant = await newTenant(gateway, { tokensPerMinute: 4000 });
    const asked = { body: { ...messageBody(), max_tokens: 1500 } };
    gateway.simulator.setScenario({ latencyMs: 600 });
    const together = await crowd(tenant, 5, asked);
    assert.equal(together.served, 2);
    assertThrottled(together.refused, 'organization');
    gateway.simulator.resetScenario();
    // In sequence many more fit, because the answers are short.
    for (let turn = 0; turn < 10; turn += 1) {
      const { status, headers } = await ask(tenant, asked);
      assert.equal(status, 200);
      assert.equal(headers.get('x-ratelimit-limit-tokens'), '4000');
    }
  });

  test('a request larger than the whole limit is refused as too large, without a retry time', async () => {
    gateway = await startTestGateway();
    const tenant = await newTenant(gateway, { tokensPerMinute: 4000 });
    const messages = [{ role: 'user', content: 'word '.repeat(10_000) }];
    const answer = await ask(tenant, { body: { model: CLAUDE, max_tokens: 10, messages } });
    assert.equal(answer.status, 413);
    const { code, params } = errorOf(answer);
    assert.deepEqual([code, params['limit']], ['REQUEST_TOO_LARGE', 4000]);
    assert.equal(gateway.simulator.log().length, 0);
    assert.equal((await ask(tenant)).status, 200);
  });

  test('at most the limit of requests runs concurrently, and an ended one frees its slot', async () => {
    gateway = await startTestGateway();
    const tenant = await newTenant(gateway, { maxConcurrent: 3 });
    gateway.simulator.setScenario({ latencyMs: 600 });
    for (let turn = 0; turn < 2; turn += 1) {
      const { served, refused } = await crowd(tenant, 5);
      assert.equal(served, 3);
      assertThrottled(refused, 'organization');
    }
  });

  test('the limit of a key does not affect another key of the organisation', async () => {
    gateway = await startTestGateway();
    const bound = await newTenant(gateway, { requestsPerMinute: 10 }, { requestsPerMinute: 2 });
    const path = `/admin/orgs/${bound.organizationId}/keys`;
    const made = await administer(gateway, 'POST', path, { name: 'free' });
    const { served, refused } = await crowd(bound, 5);
    assert.equal(served, 2);
    assertThrottled(refused, 'organization');
    // The refused requests consumed nothing of the organisation's limit.
    const free = { url: gateway.url, apiKey: String(made['key']) };
    assert.equal(remainingRequests(await ask(free)), 7);
  });

  test('an organisation at its limit does not affect another organisation', async () => {
    gateway = await startTestGateway();
    const greedy = await newTenant(gateway, { requestsPerMinute: 5 });
    const poor = await newTenant(gateway, { monthlyBudgetUsd: 0.000001 });
    const calm = await newTenant(gateway, { requestsPerMinute: 5 });
    assert.equal((await crowd(greedy, 20)).served, 5);
    assert.equal((await crowd(poor, 20)).served, 0);
    assert.equal(remainingRequests(await ask(calm)), 4);
    assert.equal((await usageOf(calm, 1)).attempts, 1);
  });
});

suite("a provider account's limit", () => {
  afterEach(() => gateway.close());

  test('refuses at once if it lasts longer than a caller waits, and another provider serves', async () => {
    gateway = await startTestGateway({ ANTHROPIC_RATE_LIMIT: '5' }, () => '');
    const tenant = await newTenant(gateway, { requestsPerMinute: 20 });
    const { served, refused } = await crowd(tenant, 8);
    assert.equal(served, 5);
    assertThrottled(refused, 'system');
    assert.equal(gateway.simulator.log().length, 5);
    // A request refused by the account's limit consumed nothing of the organisation's.
    assert.equal(remainingRequests(await ask(tenant, chatAsk())), 14);
  });

  test('delays a request if it ends soon, and no window has more calls than the limit', async () => {
    const windowMs = 500;
    gateway = await startTestGateway(
      { ANTHROPIC_RATE_LIMIT: '5' },
      () => `providers: { anthropic: { windowMs: ${windowMs}, limitGuardMs: 100 } }`,
    );
    const { served } = await crowd(gateway, 17);
    assert.equal(served, 17);
    const times = gateway.simulator.log().map(({ startedAt }) => startedAt);
    assert.ok(mostWithin(times, windowMs) <= 5, `${mostWithin(times, windowMs)} in one window`);
  });

  test('counts every attempt, including retries', async () => {
    gateway = await startTestGateway(
      { ANTHROPIC_RATE_LIMIT: '5' },
      () => 'retry: { baseMs: 5, maxInteractiveWaitMs: 500, budgetCapacity: 1000 }',
    );
    gateway.simulator.setScenario({ preset: 'server-error' });
    await crowd(gateway, 4);
    assert.equal(gateway.simulator.log().length, 5);
  });
});

suite('budgets and server slots', () => {
  afterEach(() => gateway.close());

  test('a request above the budget is refused and consumes no limit', async () => {
    gateway = await startTestGateway({ ANTHROPIC_RATE_LIMIT: '3' });
    const tenant = await newTenant(gateway, { requestsPerMinute: 3, monthlyBudgetUsd: 0.000001 });
    for (const answer of (await crowd(tenant, 6)).refused) {
      assert.equal(answer.status, 402, answer.text);
      const { code, params } = errorOf(answer);
      assert.deepEqual([code, params['limit'], params['spent']], ['BUDGET_EXCEEDED', 0.000001, 0]);
      assert.ok(Number(params['resetTime']) > Date.now());
    }
    assert.equal(gateway.simulator.log().length, 0);
    const path = `/admin/orgs/${tenant.organizationId}`;
    await administer(gateway, 'PATCH', path, { monthlyBudgetUsd: 10 });
    const answer = await ask(tenant);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(remainingRequests(answer), 2);
    assert.equal((await crowd(gateway, 3)).served, 2);
  });

  test('concurrent requests do not exceed the budget', async () => {
    gateway = await startTestGateway();
    const monthlyBudgetUsd = 0.005;
    const tenant = await newTenant(gateway, { monthlyBudgetUsd, requestsPerMinute: 1000 });
    gateway.simulator.setScenario({ latencyMs: 20 });
    const { served, refused } = await crowd(tenant, 60);
    assert.ok(served > 0);
    for (const answer of refused) assert.equal(errorOf(answer).code, 'BUDGET_EXCEEDED');
    const { attempts, costUsd } = await usageOf(tenant, served);
    assert.equal(attempts, served);
    assert.ok(costUsd > 0 && costUsd <= monthlyBudgetUsd, `${costUsd} spent`);
  });

  test('a server at its concurrent-request limit refuses until a request has ended', async () => {
    gateway = await startTestGateway({ MAX_CONCURRENT_BUILDS: '2' });
    gateway.simulator.setScenario({ preset: 'hang' });
    const leaving = new AbortController();
    const staying = Array.from({ length: 2 }, () => ask(gateway, { signal: leaving.signal }));
    const left = Promise.allSettled(staying);
    while (gateway.simulator.log().length < 2) await new Promise(setImmediate);
    const refused = await ask(gateway);
    assert.deepEqual([refused.status, errorOf(refused).code], [503, 'CAPACITY_EXHAUSTED']);
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    gateway.simulator.resetScenario();
    leaving.abort();
    await left;
    while (gateway.simulator.log().some(({ abortedAt }) => abortedAt === null))
      await new Promise(setImmediate);
    assert.equal((await crowd(gateway, 2)).served, 2);
  });
});
