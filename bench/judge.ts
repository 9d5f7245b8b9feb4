// The verdict on a measured row. The full form judges the median. The short form runs few, brief rounds on busy machines,
// where other processes make some rounds worse and none better: it judges the best round and tolerates missing a goal by
// half. It catches a regression and does not prove the claim.

import type { BenchRow, Goal, Measurement } from './bench-row.ts';
import type { Figure } from './report/statistics.ts';

const SHORT_TOLERANCE = 1.5;

export type Verdict = {
  readonly row: string;
  readonly goal: Goal;
  readonly measured: Figure;
  readonly isMet: boolean;
};

export function judge(row: BenchRow, measurement: Measurement, isShort: boolean): Verdict[] {
  return row.goals.map((goal) => {
    const measured = measurement.figures[goal.key];
    if (!measured) throw new Error(`The row ${row.name} did not measure ${goal.key}`);
    return { row: row.name, goal, measured, isMet: isMet(goal, measured, isShort) };
  });
}

/** A figure that is not a number does not pass: NaN is neither at most nor at least anything. */
function isMet(goal: Goal, { median, min, max }: Figure, isShort: boolean): boolean {
  if (!isShort) return 'atMost' in goal ? median <= goal.atMost : median >= goal.atLeast;
  if (Number.isNaN(median)) return false;
  if ('atMost' in goal) return Math.min(median, min) <= goal.atMost * SHORT_TOLERANCE;
  return Math.max(median, max) >= goal.atLeast / SHORT_TOLERANCE;
}
