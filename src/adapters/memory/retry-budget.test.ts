import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryBudgetContract, take } from '../../../test/contract/retry-budget.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { RETRY_BUDGET_DEFAULTS } from '../../resilience/retry-budget.ts';
import { createMemoryRetryBudget } from './retry-budget.ts';

retryBudgetContract('memory', async (rules) => createMemoryRetryBudget(createTestClock(), rules));

test('an empty budget grants a retry again after a while', async () => {
  const clock = createTestClock();
  const budget = createMemoryRetryBudget(clock, RETRY_BUDGET_DEFAULTS);
  budget.deposit('openai');
  while (await take(budget, 'openai'));
  await clock.advance(4000);
  assert.equal(await take(budget, 'openai'), true);
});
