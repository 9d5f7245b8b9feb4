// Servers share one retry budget on a real Redis.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { retryBudgetContract, take } from '../../../test/contract/retry-budget.ts';
import { openRedisRig, type RedisRig } from '../../../test/support/stores/redis-rig.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { RetryBudget, RetryBudgetRules } from '../../resilience/retry-budget.ts';
import { shareRetryBudget } from '../../resilience/retry-shares.ts';
import { createRedisRetryBudget } from './retry-budget.ts';

const TIMELESS: RetryBudgetRules = { perRequest: 0.1, perSecond: 0, capacity: 8 };

let rig: RedisRig;
before(async () => {
  rig = await openRedisRig();
});
after(() => rig.close());

async function openBudget(rules = TIMELESS, waitMs = 5000): Promise<RetryBudget> {
  const link = rig.open();
  await link.ready(waitMs);
  return createRedisRetryBudget({ link, clock: systemClock, rules, keyPrefix: 'test:' });
}

describe('with a Redis', () => {
  retryBudgetContract('Redis', (rules) => openBudget(rules));

  test('servers share one bucket, and no token is granted twice', async () => {
    const budgets = await Promise.all([openBudget(), openBudget(), openBudget()]);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => take(budgets[index % 3] ?? budgets[0], 'shared')),
    );
    assert.equal(answers.filter(Boolean).length, 8);
  });

  test('three servers together make at most 1.2 calls per request while half of all calls fail', async () => {
    const budgets = await Promise.all([openBudget(), openBudget(), openBudget()]);
    let calls = 0;
    async function call(budget: RetryBudget, isFirst: boolean): Promise<void> {
      calls += 1;
      if (isFirst) budget.deposit('half');
      // Every second call of the cluster fails.
      if (calls % 2 === 0 && (await take(budget, 'half'))) await call(budget, false);
    }
    for (let request = 0; request < 600; request += 3)
      await Promise.all(budgets.map((budget) => call(budget, true)));
    assert.ok(calls > 600 && calls <= 720, `${calls} calls`);
  });

  test('retries of one organisation on several servers leave a part of the budget to others', async () => {
    const servers = await Promise.all(
      [openBudget(), openBudget(), openBudget()].map(async (opened) =>
        shareRetryBudget(await opened, systemClock, TIMELESS),
      ),
    );
    const takeAll = async (organization: string): Promise<number> => {
      const answers = await Promise.all(
        servers.flatMap((server) =>
          Array.from(
            { length: 8 },
            () => new Promise<boolean>((resolve) => server.take('mixed', organization, resolve)),
          ),
        ),
      );
      return answers.filter(Boolean).length;
    };
    assert.equal(await takeAll('alice'), 6);
    assert.equal(await takeAll('bob'), 2);
  });

  test('time without requests adds tokens, on the clock of Redis', async () => {
    const rules = { perRequest: 0, perSecond: 1000, capacity: 1 };
    const budget = await openBudget(rules);
    let granted = 0;
    while (granted < 3) if (await take(budget, 'timed')) granted += 1;
  });
});

describe('without a Redis', () => {
  before(() => rig.service.kill('SIGKILL'));
  after(() => rig.service.restart());
  retryBudgetContract('an unavailable Redis', (rules) => openBudget(rules, 50));
});
