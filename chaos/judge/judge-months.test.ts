import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeMonths } from './judge-months.ts';

const midnight = { at: 1_000, aheadMs: 0, oldMonth: 202611, newMonth: 202612 };
const billable = [{ startedAt: 10 }, { startedAt: 999 }, { startedAt: 1_000 }];
const usual = { midnight, billable, budgetNanos: 20, callNanos: 10 };
const month = (number: number, postedNanos: number) => ({
  month: number,
  postedNanos,
  reservedNanos: 0,
});

test('calls in the months of their arrival and within the budget pass', () => {
  const months = [month(202611, 20), month(202612, 10)];
  const finding = judgeMonths({ ...usual, months });
  assert.deepEqual([finding.overspendNanos, finding.shortcomings], [0, []]);
});

test('a call that is charged to the wrong month is found', () => {
  const months = [month(202611, 10), month(202612, 20)];
  assert.equal(judgeMonths({ ...usual, months }).shortcomings.length, 1);
});

test('an old month that was set to zero, or is gone, is found', () => {
  for (const months of [[month(202611, 0), month(202612, 10)], [month(202612, 10)], []])
    assert.equal(judgeMonths({ ...usual, months }).shortcomings.length, 1);
});

test('overspending in either month is found, as charged by the provider or as stored', () => {
  const months = [month(202611, 20), month(202612, 35)];
  assert.equal(judgeMonths({ ...usual, months }).overspendNanos, 15);
  assert.equal(judgeMonths({ ...usual, budgetNanos: 15, months: [] }).overspendNanos, 5);
});
