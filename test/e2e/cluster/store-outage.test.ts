// PostgreSQL becomes unavailable while two gateways serve; one of them is killed meanwhile and restarts on
// its data folder. Afterwards the ledger holds every answered request once, and every call that the provider
// counted. Short by default; with SPILLWAY_LONG=1 the outage lasts a minute. The engines belong to this test.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  CALL_NANOS,
  type Gateway,
  type MoneyCluster,
  type MortalMoneyCluster,
  openMortalMoneyCluster,
  pay,
  until,
} from '../../support/budgets/money-cluster.ts';
import { errorOf } from '../../support/gateway/call-rig.ts';
import type { Services } from '../../support/services/services.ts';
import { runOn } from '../../support/stores/isolated-postgres.ts';

const AWAY_MS = process.env['SPILLWAY_LONG'] === '1' ? 60_000 : 4000;
const CALLERS_PER_GATEWAY = 3;
const DEADLINE = { 'x-request-deadline-ms': '5000' };
/** The reservation of a call that died with its server is settled two seconds after its deadline. */
const FILE = 'budgets: { holdMarginMs: 2000 }\n';

suite('a store outage under two gateways', { timeout: 175_000 }, () => {
  let opened: MortalMoneyCluster;
  let services: Services;
  let money: MoneyCluster;
  before(async () => {
    opened = await openMortalMoneyCluster({ gateways: 2, file: FILE });
    ({ money, services } = opened);
  });
  after(() => opened.close());

  test('the ledger holds every answered request once, and every call that the provider counted', async () => {
    const { simulator } = money.cluster;
    const databaseUrl = money.cluster.env['DATABASE_URL'] ?? '';
    const [mortal, steady] = money.gateways;
    assert.ok(mortal && steady);
    simulator.setScenario({ latencyMs: 30, usage: { inputTokens: 10, outputTokens: 100 } });
    const tenant = await money.newTenant({ monthlyBudgetUsd: 1000, requestsPerMinute: 1_000_000 });
    const crowd = new Crowd(tenant.apiKey);
    for (const gateway of money.gateways) crowd.ask(gateway);
    await until('both have something set aside', async () => {
      const [row] = await runOn(databaseUrl, RESERVES);
      return Number(row?.['servers']) === 2;
    });

    await services.postgres.kill('SIGKILL');
    const answeredBefore = crowd.answered.size;
    await pause(AWAY_MS / 2);
    mortal.process.kill('SIGKILL');
    await pause(AWAY_MS / 2);
    assert.ok(
      crowd.answered.size > answeredBefore,
      'no request was answered during the store outage',
    );
    await services.postgres.restart();
    crowd.ask(await money.startGateway(mortal.dataDir));
    const answeredSince = crowd.answered.size;
    await until('it goes on', () => crowd.answered.size > answeredSince + 20);
    await crowd.disperse();

    await until('nothing is on its way', () => simulator.stats().inFlight === 0);
    const calls = simulator.log().length;
    await until('the ledger has every call', async () => {
      const { count } = await money.recordsOf(tenant.organizationId);
      return count >= calls;
    });
    const { count, lost, requests, costNanos } = await money.recordsOf(tenant.organizationId);
    assert.deepEqual([requests, costNanos], [count, count * CALL_NANOS]);
    // Only calls that died with their server are estimated, because it is unknown whether they were sent.
    assert.ok(lost <= CALLERS_PER_GATEWAY, `${lost} calls are estimated`);
    assert.ok(count - lost <= calls, `${count} records of ${calls} calls`);
    const stored = await runOn(
      databaseUrl,
      `select request_id from spillway.usage_records
       where organization_id = '${tenant.organizationId}' and status = 'OK'`,
    );
    const served = new Set(stored.map((row) => row['request_id']));
    const missing = [...crowd.answered].filter((id) => !served.has(id));
    assert.deepEqual(missing, [], `${missing.length} answered requests are not in the ledger`);
    // Every refusal was marked as temporary.
    for (const code of crowd.codes) assert.equal(code, 'CAPACITY_EXHAUSTED');
  });
});

const RESERVES = 'select count(distinct server_id) as servers from spillway.budget_allotments';

/** Callers that send requests without pause until their gateway dies or they are stopped. */
class Crowd {
  readonly answered = new Set<string>();
  readonly codes = new Set<string>();
  readonly #apiKey: string;
  readonly #callers: Promise<void>[] = [];
  #isOver = false;

  constructor(apiKey: string) {
    this.#apiKey = apiKey;
  }

  ask(gateway: Gateway): void {
    for (let caller = 0; caller < CALLERS_PER_GATEWAY; caller += 1)
      this.#callers.push(this.#askOn(gateway.url));
  }

  async disperse(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
  }

  async #askOn(url: string): Promise<void> {
    while (!this.#isOver) {
      const answer = await pay({ url, apiKey: this.#apiKey }, DEADLINE);
      if (!answer) return;
      if (answer.status === 200) this.answered.add(answer.headers.get('x-request-id') ?? '');
      else this.codes.add(errorOf(answer).code);
    }
  }
}
