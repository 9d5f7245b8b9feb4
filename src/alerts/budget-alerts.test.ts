import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgetAlert, hasBudgetRecovered } from './budget-alerts.ts';

const RULES = { percents: [50, 90, 100], firingPercent: 90 };
const LEVEL = {
  organizationId: 'acme',
  month: 202611,
  kind: 'organization',
  scopeId: '',
  createdAt: 1000,
  spentNanos: 920,
  limitNanos: 1000,
};
const NOVEMBER = Date.UTC(2026, 10, 15);

test('a threshold below the firing one is a single message, a higher one fires', () => {
  const half = budgetAlert({ ...LEVEL, percent: 50 }, RULES, 'srv');
  const most = budgetAlert({ ...LEVEL, percent: 90 }, RULES, 'srv');
  assert.deepEqual([half?.endedAt, most?.endedAt], [1000, undefined]);
  assert.equal(most?.subject, 'acme, 2026-11, 90 %');
  assert.equal(budgetAlert({ ...LEVEL, percent: 100 }, RULES, 'srv')?.severity, 'critical');
});

test('an unlisted threshold and a budget without a limit raise no alert', () => {
  assert.equal(budgetAlert({ ...LEVEL, percent: 80 }, RULES, 'srv'), undefined);
  const unlimited = { ...LEVEL, percent: 90, limitNanos: undefined };
  assert.equal(budgetAlert(unlimited, RULES, 'srv'), undefined);
});

test('the id is the same at every server and differs by budget, month and threshold', () => {
  const idOf = (change: object, serverId = 'a') =>
    budgetAlert({ ...LEVEL, percent: 90, ...change }, RULES, serverId)?.id;
  assert.equal(idOf({}), idOf({}, 'b'));
  const others = [{ percent: 50 }, { month: 202612 }, { organizationId: 'b' }, { scopeId: 'k' }];
  for (const other of others) assert.notEqual(idOf({}), idOf(other));
});

test('a budget has recovered when it was raised or its month is over', () => {
  const budget = { ...LEVEL, percent: 90 };
  const standing = { budget, spentNanos: 920, limitNanos: 1000, timeZone: 'UTC' };
  assert.equal(hasBudgetRecovered(standing, NOVEMBER), false);
  assert.equal(hasBudgetRecovered({ ...standing, limitNanos: 2000 }, NOVEMBER), true);
  assert.equal(hasBudgetRecovered(standing, Date.UTC(2026, 11, 1)), true);
  const inTokyo = { ...standing, timeZone: 'Asia/Tokyo' };
  assert.equal(hasBudgetRecovered(inTokyo, Date.UTC(2026, 10, 30, 16)), true);
});
