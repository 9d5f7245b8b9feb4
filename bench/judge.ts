// The verdict on a measured row. The short form runs on busy machines with few and brief rounds, so it allows
// a quarter more than the goal: it catches a regression, it does not prove the claim.

import type { BenchRow, Goal, Measurement } from './bench-row.ts';
import type { Figure } from './statistics.ts';

export const SHORT_TOLERANCE = 1.25;

export type Verdict = {
  readonly row: string;
  readonly goal: Goal;
  readonly measured: Figure;
  readonly allowed: number;
  readonly isMet: boolean;
};

export function judge(row: BenchRow, measurement: Measurement, isShort: boolean): Verdict[] {
  return row.goals.map((goal) => {
    const measured = measurement.figures[goal.key];
    if (!measured) throw new Error(`The row ${row.name} did not measure ${goal.key}`);
    const allowed = goal.atMost * (isShort ? SHORT_TOLERANCE : 1);
    // A figure that is not a number must not pass: NaN is not at most anything.
    return { row: row.name, goal, measured, allowed, isMet: measured.median <= allowed };
  });
}
