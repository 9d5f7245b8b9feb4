import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayTotals, spendLayout } from './spend-layout.ts';

const DAY = 86_400_000;
const data = {
  from: 0,
  to: 3 * DAY,
  days: [0, DAY, 2 * DAY],
  models: [
    { model: 'large', totalUsd: 12, costUsd: [4, 0, 8] },
    { model: 'small', totalUsd: 3, costUsd: [1, 0, 2] },
  ],
  totalUsd: 15,
};

test('segments of a day stack without a gap and a day without spending has none', () => {
  const { segments } = spendLayout(data, 600, 200);
  assert.deepEqual(
    segments.map(({ key }) => key),
    ['0 large', '0 small', `${2 * DAY} large`, `${2 * DAY} small`],
  );
  const [lower, upper] = segments;
  assert.equal((upper?.y ?? 0) + (upper?.height ?? 0), lower?.y);
});

test('day totals sum all models', () => {
  assert.deepEqual(dayTotals(data), [5, 0, 10]);
});

test('the last day keeps its label when there is no space for every day', () => {
  const { dayTicks } = spendLayout(data, 150, 200);
  assert.equal(dayTicks.at(-1)?.at, 2 * DAY);
  assert.ok(dayTicks.length < 3);
});
