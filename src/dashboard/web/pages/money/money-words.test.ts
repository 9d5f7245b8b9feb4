import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganizationSpend } from '../../../api/money.ts';
import { budgetForecastText, budgetShares, leftText, parseUsd } from './money-words.ts';

const DAY = 86_400_000;
const row: OrganizationSpend = {
  organizationId: 'acme',
  name: 'Acme',
  monthlyBudgetUsd: 100,
  spentUsd: 60,
  reservedUsd: 10,
  usedRatio: 0.6,
  forecastExhaustedAt: 4.5 * DAY,
  resetAt: 30 * DAY,
  status: 'degraded',
};

test('the forecast names the days until the budget ends', () => {
  assert.equal(budgetForecastText(row, 0), 'used up in 4 days');
  assert.equal(
    budgetForecastText({ ...row, forecastExhaustedAt: 1.2 * DAY }, 0),
    'used up in 1 day',
  );
  assert.equal(
    budgetForecastText({ ...row, forecastExhaustedAt: 1000 }, 0),
    'used up within a day',
  );
  assert.equal(budgetForecastText({ ...row, forecastExhaustedAt: null }, 0), 'lasts this month');
  assert.match(budgetForecastText({ ...row, spentUsd: 95 }, 0), /^used up until /);
  assert.equal(budgetForecastText({ ...row, monthlyBudgetUsd: 0 }, 0), 'no budget');
});

test('spent and reserved never exceed the bar', () => {
  assert.deepEqual(budgetShares(row), { spent: 0.6, reserved: 0.1 });
  assert.deepEqual(budgetShares({ ...row, spentUsd: 400 }), { spent: 1, reserved: 0 });
  assert.equal(leftText(row), '$30.00');
});

test('an amount of dollars is a number from zero', () => {
  assert.deepEqual(['10', ' $2.5 ', '0', '-1', 'ten', ''].map(parseUsd), [
    10,
    2.5,
    0,
    undefined,
    undefined,
    undefined,
  ]);
});
