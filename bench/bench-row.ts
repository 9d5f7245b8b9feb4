// One row of the benchmark: its goals and its measurement. A row is a file in rows/ that exports `row`. Goals are data,
// so that the table, the results file and the verdict read the same numbers.

import type { Figure } from './report/statistics.ts';
import type { Stage } from './stage.ts';

export type GoalUnit = '×' | 'MiB' | 'KiB' | 'messages' | 'calls';

export type Goal = {
  readonly key: string;
  readonly what: string;
  readonly unit: GoalUnit;
} & ({ readonly atMost: number } | { readonly atLeast: number });

export type Measurement = {
  /** One figure for every goal of the row, by its key. */
  readonly figures: Readonly<Record<string, Figure>>;
  /** Absolute numbers in addition to the goals; not comparable between machines. */
  readonly side: readonly SideFigure[];
};

export type SideFigure = {
  readonly what: string;
  readonly unit: string;
  readonly figure: Figure;
};

export type BenchRow = {
  readonly name: string;
  readonly title: string;
  /** The row's position in the table. */
  readonly order: number;
  readonly goals: readonly Goal[];
  /** Whether a second bare proxy can stand in for the gateway, to measure the noise of the machine. */
  readonly canCalibrate: boolean;
  run(stage: Stage): Promise<Measurement>;
};
