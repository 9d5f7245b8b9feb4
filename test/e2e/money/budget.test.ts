// GET /v1/budget reports the amounts by which the next request would be decided.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { ask, type Caller, newTenant } from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';
import { send } from '../tenants/tenant-rig.ts';

/** 10 dollars a million for output and nothing for input: 100 tokens are 0.001 dollars. */
const FILE =
  'prices: { models: { claude-sonnet-4-5: { inputUsd: 0, outputUsd: 10 } } }\ntimeouts: { usageMs: 100 }\n';
const MESSAGES = [{ role: 'user', content: 'Hello' }];
const ASK = { body: { model: 'claude-sonnet-4-5', max_tokens: 100, messages: MESSAGES } };

suite('GET /v1/budget', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({}, () => FILE);
  });
  after(() => gateway.close());

  test('the cost of a call is spent as soon as the caller has the answer', async () => {
    gateway.simulator.setScenario({ usage: { inputTokens: 10, outputTokens: 40 } });
    const tenant = await newTenant(gateway, { monthlyBudgetUsd: 0.005 });
    assert.deepEqual(await moneyOf(tenant), [0.005, 0, 0, 0.005]);
    assert.equal((await ask(tenant, ASK)).status, 200);
    // 40 × 10,000 nano-dollars.
    assert.deepEqual(await moneyOf(tenant), [0.005, 0.0004, 0, 0.0046]);
  });

  test('a call in flight holds its worst case, and releases the part that it did not cost', async () => {
    gateway.simulator.clearLog();
    gateway.simulator.setScenario({ preset: 'hang' });
    const tenant = await newTenant(gateway, { monthlyBudgetUsd: 0.005 });
    const leaving = new AbortController();
    const body = { ...ASK.body, stream: true };
    const left = ask(tenant, { body, signal: leaving.signal }).catch(() => 'left');
    await gateway.simulator.waitFor((entry) => entry.outcome === 'hung');
    assert.deepEqual(await moneyOf(tenant), [0.005, 0, 0.001, 0.004]);
    leaving.abort();
    assert.equal(await left, 'left');
    const deadline = AbortSignal.timeout(20_000);
    while ((await moneyOf(tenant))[2] !== 0) deadline.throwIfAborted();
    assert.deepEqual(await moneyOf(tenant), [0.005, 0, 0, 0.005]);
  });

  test("a month ends in the organisation's time zone", async () => {
    const timeZone = 'Pacific/Auckland';
    const tenant = await newTenant(gateway, { timeZone });
    const { resetAt, forecastExhaustedAt } = await budgetOf(tenant);
    const parts = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      dateStyle: 'short',
      timeStyle: 'long',
    });
    assert.match(parts.format(Number(resetAt)), /^01\/\d\d\/\d{4}, 00:00:00/);
    assert.ok(Number(resetAt) > Date.now());
    assert.equal(forecastExhaustedAt, null);
  });

  test('a key reads the budget of its own organisation, and needs the scope for calls', async () => {
    const events = await newTenant(gateway, {}, { scopes: ['events'] });
    assert.equal((await send(events, 'GET', '/v1/budget')).status, 403);
    const nobody = { url: gateway.url, apiKey: 'nobody' };
    assert.equal((await send(nobody, 'GET', '/v1/budget')).status, 401);
  });
});

/** Limit, spent, held and remaining amount, in dollars. */
async function moneyOf(place: Caller): Promise<readonly unknown[]> {
  const { limitUsd, spentUsd, heldUsd, remainingUsd } = await budgetOf(place);
  return [limitUsd, spentUsd, heldUsd, remainingUsd];
}

async function budgetOf(place: Caller): Promise<Readonly<Record<string, unknown>>> {
  const answer = await send(place, 'GET', '/v1/budget');
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text) as Record<string, unknown>;
}
