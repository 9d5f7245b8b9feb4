import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BurnDown } from '../../../api/money.ts';
import { burnDownLayout, burnDownState } from './burn-down-layout.ts';

const DAY = 86_400_000;
const base: BurnDown = {
  organizationId: 'o',
  name: 'O',
  timeZone: 'UTC',
  monthStartsAt: 0,
  monthEndsAt: 30 * DAY,
  monthlyBudgetUsd: 100,
  spentUsd: 40,
  reservedUsd: 0,
  remainingUsd: 60,
  days: [
    { at: DAY, costUsd: 20, cumulativeUsd: 20 },
    { at: 2 * DAY, costUsd: 20, cumulativeUsd: 40 },
  ],
  forecast: { usdPerDay: 20, monthEndUsd: 600, exhaustedAt: 5 * DAY },
};

test('a forecast that uses up the budget crosses zero at its time', () => {
  const picture = burnDownLayout(base, 2 * DAY, 600, 200);
  assert.equal(burnDownState(base), 'crosses');
  assert.equal(picture.crossing?.at, 5 * DAY);
  assert.equal(picture.crossing?.y, picture.zeroY);
  assert.ok(picture.crossing.x > picture.now.x);
});

test('a budget that lasts has a forecast without a crossing', () => {
  const lasts = { ...base, forecast: { usdPerDay: 1, monthEndUsd: 68, exhaustedAt: null } };
  const picture = burnDownLayout(lasts, 2 * DAY, 600, 200);
  assert.equal(burnDownState(lasts), 'lasts');
  assert.equal(picture.crossing, undefined);
  assert.ok(picture.forecast);
});

test('spending over the budget is drawn below the zero line', () => {
  const over = { ...base, spentUsd: 130, remainingUsd: -30, forecast: null };
  const picture = burnDownLayout(over, 2 * DAY, 600, 200);
  assert.equal(burnDownState(over), 'used');
  assert.ok(picture.now.y > picture.zeroY);
});

test('without a budget the picture shows the rising spending', () => {
  const none = { ...base, monthlyBudgetUsd: 0, forecast: null };
  const picture = burnDownLayout(none, 2 * DAY, 600, 200);
  assert.equal(burnDownState(none), 'no-budget');
  assert.equal(picture.even, undefined);
  assert.ok(picture.now.y < picture.zeroY);
});
