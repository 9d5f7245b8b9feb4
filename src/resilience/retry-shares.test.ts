import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createMemoryRetryBudget } from '../adapters/memory/retry-budget.ts';
import { RETRY_BUDGET_DEFAULTS } from './retry-budget.ts';
import { type SharedRetryBudget, shareRetryBudget } from './retry-shares.ts';

const RULES = { ...RETRY_BUDGET_DEFAULTS, perSecond: 0 };

function open(): SharedRetryBudget {
  const clock = createTestClock();
  return shareRetryBudget(createMemoryRetryBudget(clock, RULES), clock, RULES);
}

function takeAll(budget: SharedRetryBudget, organization: string): number {
  const answers: boolean[] = [];
  do budget.take('openai', organization, (isGranted) => void answers.push(isGranted));
  while (answers.at(-1) === true);
  return answers.length - 1;
}

test('retries of one organisation leave a part of the budget to others', () => {
  const budget = open();
  assert.equal(takeAll(budget, 'alice'), 6);
  assert.equal(takeAll(budget, 'bob'), 2);
});

test('failing requests of one organisation never use the part of the others', () => {
  const budget = open();
  takeAll(budget, 'alice');
  for (let request = 0; request < 500; request += 1) {
    budget.deposit('openai', 'alice');
    takeAll(budget, 'alice');
  }
  assert.ok(takeAll(budget, 'bob') >= 2);
});

test('requests of an organisation fill its own share', () => {
  const budget = open();
  takeAll(budget, 'alice');
  for (let request = 0; request < 10; request += 1) budget.deposit('openai', 'bob');
  assert.equal(takeAll(budget, 'alice'), 0);
  assert.equal(takeAll(budget, 'bob'), 3);
});
