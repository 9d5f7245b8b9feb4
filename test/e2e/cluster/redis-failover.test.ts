// Two gateways on a Redis behind three Sentinels. The primary is killed under load, and the Sentinels promote a replica that
// lacks the last writes.
// Evidence is the arrival of calls at the provider and the answers of the gateways.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { mostWithin } from '../../../src/simulator/scenario/peak-window.ts';
import { type MoneyCluster, openMoneyCluster, until } from '../../support/budgets/money-cluster.ts';
import { SteadyCallers } from '../../support/budgets/steady-callers.ts';
import { administer } from '../../support/gateway/call-rig.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { type SentinelSet, startSentinelSet } from '../../support/stores/redis-topology.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const ACCOUNT_CALLS = 24;
const ACCOUNT_WINDOW_MS = 3000;
const CALLERS_PER_GATEWAY = 2;
const FILE = `
providers: { anthropic: { windowMs: ${ACCOUNT_WINDOW_MS}, limitGuardMs: 1000 } }
retry: { maxInteractiveWaitMs: 0, throttledRetries: 0 }
`;
const HOUR_MS = 3_600_000;
/** The connection for commands and the one for subscriptions of each gateway. */
const CONNECTIONS_PER_GATEWAY = 2;

suite('a crash of the primary behind Sentinels', { timeout: 170_000 }, () => {
  let sentinels: SentinelSet;
  let money: MoneyCluster;
  const folder = makeTempFolder();
  before(async () => {
    sentinels = await startSentinelSet();
    const { databaseUrl } = servicesFromEnv(process.env);
    const env = { ANTHROPIC_RATE_LIMIT: String(ACCOUNT_CALLS), OPENAI_RATE_LIMIT: '1000000' };
    const options = { gateways: 2, file: FILE, env };
    money = await openMoneyCluster({ databaseUrl, redisUrl: sentinels.url }, folder, options);
  });
  after(async () => {
    await money.cluster.close();
    await sentinels.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('exceeds no provider limit, fails no call within the limits, and loses no known limit', async (context) => {
    const { apiKey } = await money.newTenant({
      monthlyBudgetUsd: 1000,
      requestsPerMinute: 1_000_000,
    });
    const region = money.cluster.env['SERVER_REGION'] ?? '';
    const limit = { resetAt: Date.now() + HOUR_MS };
    await administer(operator(0), 'PUT', `/admin/limits/gemini/${region}`, limit);
    const limited = startCallers('/v1/messages', 'claude-sonnet-4-5', apiKey);
    const free = startCallers('/v1/chat/completions', 'gpt-4o', apiKey);

    await callsContinue('before the crash', 2 * ACCOUNT_CALLS);
    await sentinels.cutReplication();
    await callsContinue('without replication', ACCOUNT_CALLS / 2);
    await sentinels.primary.kill('SIGKILL');
    const killedAt = performance.now();
    await until('the replica is promoted', async () => (await role()) === 'master');
    const promotedMs = performance.now() - killedAt;
    await until('both gateways are connected to it', async () => {
      const clients = String(await sentinels.replica.call('CLIENT', 'LIST'));
      return clients.split('name=spillway:').length > 2 * CONNECTIONS_PER_GATEWAY;
    });
    const connectedMs = performance.now() - killedAt;
    await callsContinue('after the promotion', 2 * ACCOUNT_CALLS);
    await Promise.all([limited.stop(), free.stop()]);

    const peak = mostWithin(arrivals(), ACCOUNT_WINDOW_MS);
    context.diagnostic(
      `promoted after ${Math.round(promotedMs)} ms, connected after ${Math.round(connectedMs)} ms, ` +
        `${free.answers} unlimited calls, longest failure ${Math.round(free.longestFailureMs)} ms, ` +
        `at most ${peak} of ${ACCOUNT_CALLS} calls in a window`,
    );
    assert.ok(peak <= ACCOUNT_CALLS, `${peak} calls were made within one window`);
    assert.deepEqual([...limited.codes], ['RATE_LIMITED']);
    assert.deepEqual([...free.codes], []);
    for (const index of [0, 1])
      await until(`gateway ${index} knows the limit`, async () => knowsLimit(index, region));
    const [record] = await sentinels.replica.keys('ai:limit:*gemini*');
    assert.ok(record?.includes(region), 'the promoted Redis has the record of the limit');
  });

  function startCallers(path: string, model: string, apiKey: string): SteadyCallers {
    const callers = new SteadyCallers();
    for (const gateway of money.gateways)
      for (let caller = 0; caller < CALLERS_PER_GATEWAY; caller += 1)
        callers.start({ url: gateway.url + path, apiKey, model });
    return callers;
  }

  function arrivals(): number[] {
    const entries = money.cluster.simulator.log();
    return entries
      .filter(({ provider }) => provider === 'anthropic')
      .map(({ startedAt }) => startedAt);
  }

  async function callsContinue(when: string, count: number): Promise<void> {
    const wanted = arrivals().length + count;
    await until(`calls continue ${when}`, () => arrivals().length >= wanted);
  }

  async function role(): Promise<string | undefined> {
    return /^role:(\w+)/m.exec(await sentinels.replica.info('replication'))?.[1];
  }

  async function knowsLimit(index: number, region: string): Promise<boolean> {
    const { data } = await administer(operator(index), 'GET', '/admin/limits');
    const text = JSON.stringify(data);
    return text.includes('gemini') && text.includes(region);
  }

  function operator(index: number) {
    return { url: money.gateways[index]?.url ?? '', adminKey: money.cluster.adminKey };
  }
});
