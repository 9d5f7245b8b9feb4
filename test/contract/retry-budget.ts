// What every RetryBudget promises to the server that uses it. The test of each adapter calls this with its own. An
// adapter that is shared keeps time of its own, so nothing here depends on how long a test takes.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { RetryBudget, RetryBudgetRules } from '../../src/resilience/retry-budget.ts';

export type OpenRetryBudget = (rules: RetryBudgetRules) => Promise<RetryBudget>;

/** Time adds nothing here. */
const TIMELESS: RetryBudgetRules = { perRequest: 0.25, perSecond: 0, capacity: 3 };

export function retryBudgetContract(adapter: string, open: OpenRetryBudget): void {
  describe(`retry budget on ${adapter}`, () => {
    let budget: RetryBudget;
    let providers = 0;
    before(async () => {
      budget = await open(TIMELESS);
    });
    after(() => budget.close());

    /** Every test has a provider of its own, also where suites follow each other on one Redis. */
    const run = randomBytes(4).toString('hex');
    function newProvider(): string {
      providers += 1;
      return `p-${run}-${providers}`;
    }
    async function takeUntilRefused(provider: string): Promise<number> {
      for (let taken = 0; ; taken += 1) if (!(await take(budget, provider))) return taken;
    }

    it('begins full and refuses when it is empty', async () => {
      assert.equal(await takeUntilRefused(newProvider()), 3);
    });

    it('is put into by requests, a part of a retry each', async () => {
      const provider = newProvider();
      await takeUntilRefused(provider);
      for (let request = 0; request < 8; request += 1) budget.deposit(provider);
      assert.equal(await takeUntilRefused(provider), 2);
    });

    it('holds no more than its capacity, however many requests went well', async () => {
      const provider = newProvider();
      for (let request = 0; request < 1000; request += 1) budget.deposit(provider);
      assert.equal(await takeUntilRefused(provider), 3);
    });

    it('is one for each provider', async () => {
      const [spent, full] = [newProvider(), newProvider()];
      await takeUntilRefused(spent);
      assert.equal(await takeUntilRefused(full), 3);
    });

    it('grants no token twice when many ask at once', async () => {
      const provider = newProvider();
      const answers = await Promise.all(Array.from({ length: 50 }, () => take(budget, provider)));
      assert.equal(answers.filter(Boolean).length, 3);
    });

    it('is closed as often as one likes', async () => {
      const other = await open(TIMELESS);
      await other.close();
      await other.close();
    });
  });
}

export function take(budget: RetryBudget, provider: string): Promise<boolean> {
  return new Promise((resolve) => budget.take(provider, resolve));
}
