// The race for the last of a budget: 500 concurrent requests on four servers, of which 100 can be paid. Exactly 100 are served,
// also if a server dies during the race: its reservations are charged and block no money.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, afterEach, before, suite, test } from 'node:test';
import {
  billed,
  budgetOf,
  CALL_NANOS,
  type Gateway,
  type MoneyCluster,
  OUTPUT_TOKENS,
  openMoneyCluster,
  payMany,
  until,
} from '../../support/budgets/money-cluster.ts';
import { type Answer, errorOf } from '../../support/gateway/call-rig.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const CALLS_PAID_FOR = 100;
const BUDGET_NANOS = CALLS_PAID_FOR * CALL_NANOS;
const SETTINGS = { monthlyBudgetUsd: BUDGET_NANOS / 1e9, requestsPerMinute: 1_000_000 };
/**
 * The reservations of a dead server are settled two seconds after the deadline of its calls, its standby allotments expire
 * after four, and requests may wait a minute for money.
 */
const FILE =
  'budgets: { holdMarginMs: 2000, reserveMs: 4000 }\nretry: { maxInteractiveWaitMs: 60000 }\n';
const USAGE = { inputTokens: 10, outputTokens: OUTPUT_TOKENS };

suite('the last of a budget', { timeout: 170_000 }, () => {
  let folder: string;
  let money: MoneyCluster;
  before(async () => {
    folder = makeTempFolder();
    const services = servicesFromEnv(process.env);
    money = await openMoneyCluster(services, folder, { gateways: 4, file: FILE });
  });
  afterEach(() => {
    money.cluster.simulator.setScenario({ usage: USAGE });
    money.cluster.simulator.clearLog();
  });
  after(async () => {
    await money.cluster.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('500 concurrent requests on four servers: 100 are served and counted once, 400 are refused', async () => {
    const { simulator } = money.cluster;
    simulator.setScenario({ latencyMs: 100, usage: USAGE });
    const tenant = await money.newTenant(SETTINGS);
    const answers = await payMany(money.gateways, tenant.apiKey, 500);
    const { served, refused } = sorted(answers);
    assert.deepEqual([served.length, refused.length], [CALLS_PAID_FOR, 400]);
    assert.deepEqual(new Set(refused.map(codeOf)), new Set(['BUDGET_EXCEEDED']));
    assert.equal(billed(simulator.log()), CALLS_PAID_FOR);
    await assertAllSpent(tenant, CALLS_PAID_FOR);
  });

  test('the sent calls of a killed server are counted, and the rest of the budget can be spent to the last cent', async () => {
    const { simulator } = money.cluster;
    const [first, ...others] = money.gateways;
    assert.ok(first);
    const tenant = await money.newTenant(SETTINGS);
    const deadline = { 'x-request-deadline-ms': '6000' };
    const early = sorted(await payMany(money.gateways, tenant.apiKey, 12, deadline));
    assert.equal(early.served.length, 12);
    await until('every server has an allotment', async () => {
      return (await money.allottedServers(tenant.organizationId)) === money.gateways.length;
    });
    // Forty calls are in flight, ten of them from the server that dies.
    simulator.setScenario({ latencyMs: 2000, usage: USAGE });
    const underWay = payMany(money.gateways, tenant.apiKey, 40, deadline);
    await until('forty calls are with the provider', () => simulator.stats().inFlight === 40);
    first.process.kill('SIGKILL');
    const middle = sorted(await underWay);
    assert.deepEqual([middle.served.length, middle.gone], [30, 10]);
    simulator.setScenario({ usage: USAGE });
    const [other] = others;
    assert.ok(other);
    await until('no money is reserved', async () => {
      const { heldUsd } = await budgetOf({ url: other.url, ...tenant });
      return heldUsd === 0;
    });
    const { lost } = await money.recordsOf(tenant.organizationId);
    // Answered calls count as lost as well if the server died before the store had their usage.
    assert.ok(lost >= 10 && lost <= 13, `${lost} attempts were settled as estimates`);
    const late = sorted(await payMany(others, tenant.apiKey, 120));
    assert.equal(late.served.length, CALLS_PAID_FOR - 12 - 40);
    assert.deepEqual(new Set(late.refused.map(codeOf)), new Set(['BUDGET_EXCEEDED']));
    assert.equal(billed(simulator.log()), CALLS_PAID_FOR);
    await assertAllSpent(tenant, CALLS_PAID_FOR);
    // Restarted, its journalled usage replaces the estimates, once.
    const again = await money.startGateway(first.dataDir);
    await assertAllSpent(tenant, CALLS_PAID_FOR, [again]);
  });

  /** The store and every server report the whole budget as spent and no money as reserved. */
  async function assertAllSpent(
    tenant: { readonly organizationId: string; readonly apiKey: string },
    calls: number,
    more: readonly Gateway[] = [],
  ): Promise<void> {
    await until('all that was used has reached the store', async () => {
      const { count } = await money.recordsOf(tenant.organizationId);
      return count >= calls;
    });
    const { count, requests, costNanos } = await money.recordsOf(tenant.organizationId);
    assert.deepEqual([count, requests, costNanos], [calls, calls, calls * CALL_NANOS]);
    for (const { url } of [...money.gateways, ...more]) {
      if (!(await isUp(url))) continue;
      const { spentUsd, heldUsd, limitUsd } = await budgetOf({ url, ...tenant });
      assert.deepEqual([spentUsd, heldUsd], [limitUsd, 0]);
    }
  }
});

async function isUp(url: string): Promise<boolean> {
  return fetch(`${url}/health/live`).then(
    (response) => response.ok,
    () => false,
  );
}

function sorted(answers: readonly (Answer | undefined)[]) {
  const told = answers.filter((answer) => answer !== undefined);
  const served = told.filter(({ status }) => status === 200);
  const refused = told.filter(({ status }) => status !== 200);
  return { served, refused, gone: answers.length - told.length };
}

function codeOf(answer: Answer): string {
  return errorOf(answer).code;
}
