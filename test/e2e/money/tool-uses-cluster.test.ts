// Responses without `max_tool_calls` at several servers, under a large budget that is nearly spent: the maxima
// of tool uses that are sent at the same time cost no more than the unspent money.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { type MoneyCluster, openMoneyCluster } from '../../support/budgets/money-cluster.ts';
import { ask, usageOf } from '../../support/gateway/call-rig.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const PATH = '/v1/responses';
const BUDGET_USD = 1000;
/** Each use reads the window of the model, 400,000 tokens at 1.25 dollars a million. */
const USE_USD = 0.5;
const USED = 1950;
const BODY = {
  model: 'gpt-5',
  max_output_tokens: 1000,
  input: 'Hi',
  tools: [{ type: 'mcp', server_label: 'a', server_url: 'https://a.example' }],
};

suite('the uses of tools in a cluster', { timeout: 120_000 }, () => {
  let folder: string;
  let money: MoneyCluster;
  before(async () => {
    folder = makeTempFolder();
    money = await openMoneyCluster(servicesFromEnv(process.env), folder, {
      gateways: 2,
      file: 'retry: { maxInteractiveWaitMs: 0 }\n',
      env: { OPENAI_RATE_LIMIT: '1000000' },
    });
  });
  after(async () => {
    await money.cluster.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('responses in flight at two servers may use no more tools than the budget covers', async () => {
    const { simulator } = money.cluster;
    const tenant = await money.newTenant({
      monthlyBudgetUsd: BUDGET_USD,
      requestsPerMinute: 1000,
    });
    const callers = money.gateways.map(({ url }) => ({ url, ...tenant }));
    const [first] = callers;
    assert.ok(first);
    simulator.setScenario({ usage: { inputTokens: USED * 400_000, outputTokens: 1000 } });
    const spending = await ask(first, { path: PATH, body: { ...BODY, max_tool_calls: USED } });
    assert.equal(spending.status, 200, spending.text);
    const { costUsd } = await usageOf(first, 1);
    const bounds: number[] = [];
    simulator.observe(({ json }) => bounds.push(Number(json['max_tool_calls'])));
    // Every response is still in flight when the last one is decided.
    simulator.setScenario({ latencyMs: 5000, usage: { inputTokens: 10, outputTokens: 10 } });
    const asked = Array.from({ length: 8 }, () => callers).flat();
    const answers = await Promise.all(
      asked.map((caller) => ask(caller, { path: PATH, body: BODY })),
    );
    const served = answers.filter(({ status }) => status === 200).length;
    assert.equal(answers.filter(({ status }) => status === 402).length, asked.length - served);
    assert.ok(served > 1);
    assert.equal(bounds.length, served);
    const mostUsd = bounds.reduce((sum, uses) => sum + uses, 0) * USE_USD;
    assert.ok(costUsd + mostUsd <= BUDGET_USD, `${costUsd} and ${mostUsd} dollars`);
  });
});
