// The verdict on a measured row. The short form runs few, brief rounds on busy machines and tolerates missing a goal by
// half: it catches a regression and does not prove the claim.

import type { BenchRow, Goal, Measurement } from './bench-row.ts';
import type { Figure } from './report/statistics.ts';

export const SHORT_TOLERANCE = 1.5;

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
    return { row: row.name, goal, measured, isMet: isMet(goal, measured.median, isShort) };
  });
}

/** A figure that is not a number does not pass: NaN is neither at most nor at least anything. */
function isMet(goal: Goal, value: number, isShort: boolean): boolean {
  const tolerance = isShort ? SHORT_TOLERANCE : 1;
  if ('atMost' in goal) return value <= goal.atMost * tolerance;
  return value >= goal.atLeast / tolerance;
}
