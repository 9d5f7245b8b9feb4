// The contract of RetryBudget; the test of each adapter calls it with its own. A shared adapter has its own clock, so time
// adds nothing here.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { RetryBudget, RetryBudgetRules } from '../../src/resilience/retry-budget.ts';

export type OpenRetryBudget = (rules: RetryBudgetRules) => Promise<RetryBudget>;

const TIMELESS: RetryBudgetRules = { perRequest: 0.25, perSecond: 0, capacity: 3 };

export function retryBudgetContract(adapter: string, open: OpenRetryBudget): void {
  describe(`retry budget on ${adapter}`, () => {
    let budget: RetryBudget;
    let providers = 0;
    before(async () => {
      budget = await open(TIMELESS);
    });
    after(() => budget.close());

    /** Each test uses its own provider, because suites share one Redis. */
    const run = randomBytes(4).toString('hex');
    function newProvider(): string {
      providers += 1;
      return `p-${run}-${providers}`;
    }
    async function takeUntilRefused(provider: string): Promise<number> {
      for (let taken = 0; ; taken += 1) if (!(await take(budget, provider))) return taken;
    }

    it('starts full and refuses when it is empty', async () => {
      assert.equal(await takeUntilRefused(newProvider()), 3);
    });

    it('gains a fraction of a token from each request', async () => {
      const provider = newProvider();
      await takeUntilRefused(provider);
      for (let request = 0; request < 8; request += 1) budget.deposit(provider);
      assert.equal(await takeUntilRefused(provider), 2);
    });

    it('never exceeds its capacity', async () => {
      const provider = newProvider();
      for (let request = 0; request < 1000; request += 1) budget.deposit(provider);
      assert.equal(await takeUntilRefused(provider), 3);
    });

    it('has a bucket for each provider', async () => {
      const [spent, full] = [newProvider(), newProvider()];
      await takeUntilRefused(spent);
      assert.equal(await takeUntilRefused(full), 3);
    });

    it('grants no token twice to concurrent requests', async () => {
      const provider = newProvider();
      const answers = await Promise.all(Array.from({ length: 50 }, () => take(budget, provider)));
      assert.equal(answers.filter(Boolean).length, 3);
    });

    it('tolerates repeated close', async () => {
      const other = await open(TIMELESS);
      await other.close();
      await other.close();
    });
  });
}

export function take(budget: RetryBudget, provider: string): Promise<boolean> {
  return new Promise((resolve) => budget.take(provider, resolve));
}
