// Three gateways that share limits while their Redis is killed, restarts empty, and is flushed. Evidence is the arrival of
// calls at the provider: no window holds more of them than the account's or the organisation's limit, and calls resume
// after every fault. The engines are private to this test.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { Redis } from 'ioredis';
import { mostWithin } from '../../../src/simulator/scenario/peak-window.ts';
import {
  type MoneyCluster,
  type MortalMoneyCluster,
  openMortalMoneyCluster,
  payMany,
  until,
} from '../../support/budgets/money-cluster.ts';
import { type Answer, errorOf, remainingRequests } from '../../support/gateway/call-rig.ts';
import type { Services } from '../../support/services/services.ts';

/** The account's calls in a window, as the provider counts them; Spillway's window is longer by the transit time. */
const ACCOUNT_CALLS = 24;
const ACCOUNT_WINDOW_MS = 3000;
const ORGANIZATION_CALLS = 40;
const MINUTE_MS = 60_000;
const CALLERS_PER_GATEWAY = 2;
const ROOMY = { monthlyBudgetUsd: 1000, requestsPerMinute: 100_000 };

const FILE = `
providers: { anthropic: { windowMs: ${ACCOUNT_WINDOW_MS}, limitGuardMs: 1000 } }
retry: { maxInteractiveWaitMs: 0, throttledRetries: 0 }
`;

suite('limits of three gateways', { timeout: 170_000 }, () => {
  let mortal: MortalMoneyCluster;
  let services: Services;
  let money: MoneyCluster;
  before(async () => {
    const env = { ANTHROPIC_RATE_LIMIT: String(ACCOUNT_CALLS), OPENAI_RATE_LIMIT: '1000000' };
    mortal = await openMortalMoneyCluster({ gateways: 3, file: FILE, env });
    ({ money, services } = mortal);
  });
  after(() => mortal.close());

  test('an idle limit admits all of it at once, and a refused request takes nothing', async () => {
    const { simulator } = money.cluster;
    const tenant = await money.newTenant({ ...ROOMY, requestsPerMinute: 1000 });
    const answers = await payMany(money.gateways, tenant.apiKey, ACCOUNT_CALLS * 4);
    const served = answers.filter((answer) => answer?.status === 200);
    assert.equal(served.length, ACCOUNT_CALLS);
    assert.equal(simulator.log().length, ACCOUNT_CALLS);
    const refused = answers.filter((answer) => answer?.status !== 200);
    for (const answer of refused) assert.equal(answer && errorOf(answer).code, 'RATE_LIMITED');
    // The 72 that the account refused have cost the organisation nothing.
    let next: Answer | undefined;
    await until('the account has room again', async () => {
      [next] = await payMany(money.gateways, tenant.apiKey, 1);
      return next?.status === 200;
    });
    assert.ok(next);
    assert.equal(remainingRequests(next), 1000 - ACCOUNT_CALLS - 1);
  });

  test('no window exceeds a limit while Redis is killed, restarted empty, flushed and killed again, and calls resume', async () => {
    const { simulator } = money.cluster;
    simulator.clearLog();
    const busy = await money.newTenant(ROOMY);
    const bound = await money.newTenant({ ...ROOMY, requestsPerMinute: ORGANIZATION_CALLS });
    const crowd = new Crowd();
    for (const { url } of money.gateways)
      for (let caller = 0; caller < CALLERS_PER_GATEWAY; caller += 1) {
        crowd.join(url, busy.apiKey, '/v1/messages', 'claude-sonnet-4-5');
        crowd.join(url, bound.apiKey, '/v1/chat/completions', 'gpt-4o');
      }
    const arrivals = (provider: string) =>
      simulator
        .log()
        .filter((entry) => entry.provider === provider)
        .map(({ startedAt }) => startedAt);
    const goesOn = async (when: string) => {
      const soFar = arrivals('anthropic').length;
      await until(
        `calls go on ${when}`,
        () => arrivals('anthropic').length >= soFar + ACCOUNT_CALLS,
      );
    };
    const outsider = new Redis(services.redisUrl, { lazyConnect: true });
    outsider.on('error', () => {});

    await goesOn('at first');
    await services.redis.kill('SIGKILL');
    await goesOn('while Redis is unavailable');
    await services.redis.restart();
    await goesOn('when it is back and empty');
    await outsider.flushall();
    await goesOn('when it was flushed');
    await services.redis.kill('SIGKILL');
    await services.redis.restart();
    await goesOn('after a short absence');
    outsider.disconnect();
    await crowd.disperse();

    const mostCalls = mostWithin(arrivals('anthropic'), ACCOUNT_WINDOW_MS);
    assert.ok(mostCalls <= ACCOUNT_CALLS, `${mostCalls} calls were made within one window`);
    const mostAsked = mostWithin(arrivals('openai'), MINUTE_MS);
    assert.ok(mostAsked <= ORGANIZATION_CALLS, `${mostAsked} requests within one minute`);
    assert.ok(mostAsked > 0);
    assert.deepEqual([...crowd.codes], ['RATE_LIMITED']);
  });
});

/** Callers that repeat their request immediately, and shortly after a refusal. */
class Crowd {
  /** The codes of the refused requests. */
  readonly codes = new Set<string>();
  readonly #callers: Promise<void>[] = [];
  #isOver = false;

  join(url: string, apiKey: string, path: string, model: string): void {
    this.#callers.push(this.#ask(url + path, apiKey, model));
  }

  async disperse(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
  }

  async #ask(url: string, apiKey: string, model: string): Promise<void> {
    const body = JSON.stringify({
      model,
      max_tokens: 20,
      messages: [{ role: 'user', content: 'Hello' }],
    });
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    while (!this.#isOver) {
      const response = await fetch(url, { method: 'POST', headers, body });
      const text = await response.text();
      if (response.status === 200) continue;
      this.codes.add(errorOf({ status: response.status, headers: response.headers, text }).code);
      await new Promise((resolve) => setTimeout(resolve, AFTER_REFUSAL_MS));
    }
  }
}

const AFTER_REFUSAL_MS = 60;
