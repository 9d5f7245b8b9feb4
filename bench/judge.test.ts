import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BenchRow } from './bench-row.ts';
import { judge } from './judge.ts';
import { figureOf } from './report/statistics.ts';

const row: BenchRow = {
  name: 'example',
  title: 'an example',
  order: 1,
  canCalibrate: false,
  goals: [{ key: 'cpu', what: 'CPU', atMost: 2, unit: '×' }],
  run: () => Promise.reject(new Error('never run')),
};

function isMet(value: number, isShort: boolean): boolean | undefined {
  const figures = { cpu: figureOf([value]) };
  return judge(row, { figures, side: [] }, isShort)[0]?.isMet;
}

test('a goal is met by its own value and missed by more', () => {
  assert.equal(isMet(2, false), true);
  assert.equal(isMet(2.01, false), false);
});

test('the short form allows half as much again', () => {
  assert.equal(isMet(3, true), true);
  assert.equal(isMet(3.01, true), false);
});

test('the short form judges the best round, the full form the median', () => {
  const figures = { cpu: figureOf([2, 3.5, 3.6]) };
  const verdict = (isShort: boolean) => judge(row, { figures, side: [] }, isShort)[0]?.isMet;
  assert.equal(verdict(true), true);
  assert.equal(verdict(false), false);
});

test('a goal with a minimum is missed below it', () => {
  const goals = [{ key: 'cpu', what: 'less CPU', atLeast: 5, unit: '×' }] as const;
  const verdict = (value: number, isShort: boolean) =>
    judge({ ...row, goals }, { figures: { cpu: figureOf([value]) }, side: [] }, isShort)[0]?.isMet;
  assert.equal(verdict(5, false), true);
  assert.equal(verdict(4.9, false), false);
  assert.equal(verdict(3.4, true), true);
  assert.equal(verdict(3.3, true), false);
});

test('a figure that is not a number is a miss', () => {
  assert.equal(isMet(Number.NaN, true), false);
});

test('a goal without a figure throws', () => {
  assert.throws(() => judge(row, { figures: {}, side: [] }, false), /did not measure cpu/);
});
